"""The site: `make site`. Pages are where they are in the repository, so that their links are the same in both."""
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import blocks

project = "yupana"
copyright = "the yupana developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
include_patterns = ["docs/**.md", "docs/**.rst", "yupana/*/README.md", "C*.md", "REPRODUCIBILITY.md", "SECURITY.md"]
exclude_patterns = ["build*", "tests", "dist", "demo"]
html_theme = "furo"
html_title = "yupana"
html_static_path = html_css_files = ["site.css"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
napoleon_google_docstring = False
napoleon_use_ivar = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"

RUNS = blocks.ROOT / "build" / "site" / "runs"


def run_blocks(app, docname, source):
    """Commands run in a folder of each page, where the pictures stay that it shows."""
    if not docname.startswith("docs/") or pathlib.Path(app.env.doc2path(docname)).suffix != ".md":
        return
    folder = RUNS / docname
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    up = "/".join([".."] * docname.count("/"))
    pictures = f"{up}/{folder.relative_to(blocks.ROOT)}"
    source[0], _ = blocks.run(blocks.ROOT / f"{docname}.md", folder, app.config.program, pictures)


def skip_inherited(app, what, name, member, skip, options):
    """Methods that scikit-learn makes are documented there."""
    return (getattr(member, "__module__", None) or "").startswith("sklearn") or None


def setup(app):
    app.add_config_value("program", str(blocks.ROOT / "build" / "release" / "yupana"), "env")
    app.connect("source-read", run_blocks)
    app.connect("autodoc-skip-member", skip_inherited)
