# One image for every role: `serve`, `serve --no-worker`, `worker`, and every other command of `pinakes`.
# The embedding model is built into it, so that no container fetches anything when it starts.

FROM python:3.12-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/pinakes
WORKDIR /build
COPY requirements.txt ./
RUN /opt/pinakes/bin/pip install --require-hashes -r requirements.txt
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
COPY web ./web
RUN /opt/pinakes/bin/pip install --no-deps .
ENV PINAKES_CACHE=/opt/pinakes/cache
RUN /opt/pinakes/bin/pinakes model install

FROM python:3.12-slim-bookworm
# Languages of scanned pages, such as "eng" or "eng deu"; empty leaves OCR out of the image.
ARG OCR_LANGUAGES=""
RUN if [ -n "$OCR_LANGUAGES" ]; then \
      apt-get update \
      && apt-get install -y --no-install-recommends tesseract-ocr $(printf 'tesseract-ocr-%s ' $OCR_LANGUAGES) \
      && rm -rf /var/lib/apt/lists/*; \
    fi \
    && useradd --uid 10001 --create-home pinakes \
    && install -d -o pinakes -g pinakes -m 0700 /data
COPY --from=build /opt/pinakes /opt/pinakes
ENV PATH=/opt/pinakes/bin:$PATH \
    PINAKES_CACHE=/opt/pinakes/cache \
    PINAKES_HOME=/data \
    PINAKES_HOST=0.0.0.0
USER pinakes
VOLUME /data
EXPOSE 8700
HEALTHCHECK --start-period=60s --interval=15s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8700/readyz', timeout=5)"]
ENTRYPOINT ["pinakes"]
CMD ["serve"]
