"""How long a step of the explorer takes in the system's Chromium, and its first picture, in milliseconds.

    python benchmarks/explorer.py [--algorithm ring] [--ranks 128] [--steps 60]

Of each view: the first paint, then the median and the ninth decile over steps to the next one and over jumps.  A step
is timed until its layout is done.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from sparring import explore
from sparring.present.explorer import html

WALK = """
async ([steps, stride]) => {
  const found = [];
  for (let i = 1; i <= steps; i++) {
    await new Promise((done) => requestAnimationFrame(done));
    const start = performance.now();
    explorer.go(1 + ((i * stride) % explorer.last));
    document.body.offsetHeight;
    found.push(performance.now() - start);
  }
  found.sort((a, b) => a - b);
  return [0.5, 0.9].map((part) => found[Math.floor(part * steps)]);
}"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
JUMP = 7
"""So many steps a jump passes over."""


def main() -> None:
    options = arguments()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "explorer.html"
        html.write(explore(options.algorithm, ranks=options.ranks), file)
        print(f"{options.algorithm} on {options.ranks} ranks: {file.stat().st_size / 1000:.0f} kB")
        print(f"{'view':10}{'paint':>8}{'step':>8}{'90 %':>8}{'jump':>8}{'90 %':>8}")
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        with playwright.chromium.launch(executable_path=chromium) as browser:
            for view in ("spacetime", "ring", "matrix"):
                times = measured(browser.new_page(), f"{file.as_uri()}#view={view}", options.steps)
                print(f"{view:10}" + "".join(f"{time:8.0f}" for time in times))


def measured(page: Page, address: str, steps: int) -> list[Any]:
    """Return the milliseconds of the first paint, and of steps and jumps: median and ninth decile."""
    page.goto(address)
    page.wait_for_selector(".picture svg, .picture canvas")
    return [page.evaluate(PAINT), *page.evaluate(WALK, [steps, 1]), *page.evaluate(WALK, [steps, JUMP])]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--algorithm", default="ring")
    parser.add_argument("--ranks", type=int, default=128)
    parser.add_argument("--steps", type=int, default=60)
    return parser.parse_args()


if __name__ == "__main__":
    main()
