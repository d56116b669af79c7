# The service: the wheel of this folder with what it needs to serve, and no torch. `docs/service.md` says how to run it.
FROM python:3.11-slim AS build
COPY . /source
RUN pip install --no-cache-dir build && python -m build --wheel --outdir /wheel /source

FROM python:3.11-slim
COPY --from=build /wheel /wheel
RUN pip install --no-cache-dir "$(ls /wheel/*.whl)[serve,sparql]" && useradd --system lear
USER lear
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=2)"]
CMD ["lear", "serve", "--host", "0.0.0.0", "--port", "8000"]
