"""The steps of ``.ci/run``, one at a time, each in a virtual environment of its own: ``nox --list``."""

import shutil

import nox

nox.options.sessions = ["lint", "types", "tests"]

RUNTIMES = ("-m", "runtimes")


def install(session: nox.Session, extras: str) -> None:
    """Install sparring with ``extras``, at the pinned releases."""
    session.install("--constraint", "constraints.txt", f".[{extras}]")


@nox.session
def lint(session: nox.Session) -> None:
    """Style, formatting and the floors of the house."""
    install(session, "test")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports")


@nox.session
def types(session: nox.Session) -> None:
    """Both type checkers."""
    install(session, "test")
    session.run("mypy")
    session.run("pyright")


@nox.session
def tests(session: nox.Session) -> None:
    """The suite, on MPICH."""
    install(session, "mpich,test")
    session.run("pytest", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation, below ``build/docs``; a warning is an error."""
    install(session, "docs")
    session.run("python", "-m", "sphinx", "--fail-on-warning", "--keep-going", "docs", "build/docs")


@nox.session
def openmpi(session: nox.Session) -> None:
    """What every MPI runtime must pass, on Open MPI; the whole suite: nox -s openmpi -- tests."""
    install(session, "openmpi,test")
    session.run("pytest", *(session.posargs or RUNTIMES))


@nox.session
def simgrid(session: nox.Session) -> None:
    """Our schedules on SimGrid, which belongs to Debian's own Python: apt install python3-simgrid."""
    install(session, "test")
    session.run("pytest", "tests/examples/test_simgrid.py", *session.posargs)


@nox.session
def torch(session: nox.Session) -> None:
    """Code on torch.distributed."""
    install(session, "mpich,torch,test")
    session.run("pytest", *(session.posargs or ("-m", "torch")))


@nox.session
def impi(session: nox.Session) -> None:
    """What every MPI runtime must pass, on Intel MPI; the whole suite: nox -s impi -- tests."""
    install(session, "impi,test")
    session.run("pytest", *(session.posargs or RUNTIMES))


@nox.session
def coverage(session: nox.Session) -> None:
    """Which statements the suite runs."""
    install(session, "mpich,test")
    session.run("coverage", "run", "-m", "pytest", *session.posargs)
    session.run("coverage", "report")


@nox.session
def mpi4py_suite(session: nox.Session) -> None:
    """mpi4py's own tests in the simulated world: minutes; the source of the pinned release is fetched for it."""
    install(session, "mpich,test")
    folder, release = session.create_tmp(), "4.1.2"
    session.run("pip", "download", "--no-deps", "--no-binary", ":all:", "--dest", folder, f"mpi4py=={release}")
    session.run("python", "-m", "tarfile", "--extract", f"{folder}/mpi4py-{release}.tar.gz", folder)
    tests = f"{folder}/mpi4py-{release}/test"
    session.run("pytest", "-m", "slow", "tests/programs", env={"SPARRING_MPI4PY_TESTS": tests})


@nox.session
def release(session: nox.Session) -> None:
    """What a release consists of, in ``dist``: sdist and wheel, checked as an index would, and the test vectors."""
    install(session, "dev")
    shutil.rmtree("dist", ignore_errors=True)
    folder = session.create_tmp()
    session.run("python", "-m", "build", "--outdir", "dist", ".")
    session.run("twine", "check", "--strict", "dist/*.whl", "dist/*.tar.gz")
    session.run("sparring", "export", "--format", "vectors", "--out", f"{folder}/vectors")
    shutil.make_archive("dist/vectors", "xztar", folder, "vectors")
