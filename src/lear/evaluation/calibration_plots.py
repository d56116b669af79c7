"""Two pictures of a calibration report, as SVG: reliability, and risk against coverage."""

from html import escape

from lear.evaluation.calibration import Report

SIDE, EDGE = 260, 58
"""Length of an axis, and the space around it, in pixels."""
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#57606a}.title{font-size:13px;fill:#1b1f24}"
    ".axis{stroke:#9aa4ae;fill:none}.ideal{stroke:#9aa4ae;stroke-dasharray:4 4}"
    ".line{stroke:#0b4f9e;fill:none;stroke-width:2}.dot{fill:#0b4f9e}rect{fill:#fff}"
)


def reliability_svg(report: Report, title: str) -> str:
    """How often answers are right, by their probability; the size of a dot is how many they are."""
    dots = "".join(
        f'<circle class="dot" cx="{_x(b.mean_probability):.1f}" cy="{_y(b.share_right):.1f}" '
        f'r="{3 + 11 * (b.n / report.n) ** 0.5:.1f}" fill-opacity="0.75">'
        f"<title>{b.n} answers: probability {b.mean_probability:.2f}, "
        f"right {b.share_right:.2f}</title></circle>"
        for b in report.bins
    )
    ideal = f'<path class="ideal" d="M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}"/>'
    return _picture(title, ideal + dots, "probability of the answer", "share that are right", 1.0)


def risk_coverage_svg(report: Report, title: str) -> str:
    """The share of wrong answers if only the surest ones are given."""
    top = max(0.05, max((risk for _, risk in report.risk_coverage), default=0.0))
    points = "L".join(
        f"{_x(coverage):.1f} {_y(risk / top):.1f}" for coverage, risk in report.risk_coverage
    )
    line = f'<path class="line" d="M{points}"/>' if points else ""
    return _picture(title, line, "share of sentences answered", "share of wrong answers", top)


def _picture(title: str, body: str, x_label: str, y_label: str, top: float) -> str:
    size = SIDE + 2 * EDGE
    ticks = "".join(
        f'<text x="{_x(part)}" y="{_y(0) + 16}" text-anchor="middle">{part:g}</text>'
        f'<text x="{_x(0) - 6}" y="{_y(part) + 4}" text-anchor="end">{part * top:.2g}</text>'
        for part in (0.0, 0.5, 1.0)
    )
    middle = EDGE + SIDE / 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" role="img">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n"
        f'<rect width="{size}" height="{size}"/>\n'
        f'<text class="title" x="{middle}" y="24" text-anchor="middle">{escape(title)}</text>\n'
        f'<path class="axis" d="M{_x(0)} {_y(1)}L{_x(0)} {_y(0)}L{_x(1)} {_y(0)}"/>\n'
        f"{ticks}\n"
        f'<text x="{middle}" y="{size - 10}" text-anchor="middle">{x_label}</text>\n'
        f'<text transform="translate(14 {middle})rotate(-90)" '
        f'text-anchor="middle">{y_label}</text>\n'
        f"{body}\n</svg>\n"
    )


def _x(share: float) -> float:
    return EDGE + share * SIDE


def _y(share: float) -> float:
    return EDGE + (1 - share) * SIDE
