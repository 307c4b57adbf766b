# Serves the built page on port 8080, as a user without rights. From the folder of the clone:
#
#   cargo xtask build
#   docker build --tag traceglass .
#   docker run --rm --publish 8080:8080 traceglass
#
# The page may connect to its own host only. To open traces of other hosts by `url=`, name their origins:
#
#   docker run --rm --publish 8080:8080 --env TRACE_ORIGINS=https://traces.example traceglass
#
# No page may show it in a frame. To allow some, name their origins:
#
#   docker run --rm --publish 8080:8080 --env EMBED_ORIGINS=https://dashboard.example traceglass
FROM nginxinc/nginx-unprivileged:stable-alpine
ENV TRACE_ORIGINS="" EMBED_ORIGINS="'none'"
# The image replaces the variables in templates when it starts.
COPY docker/nginx.conf.template /etc/nginx/templates/default.conf.template
COPY dist/ /usr/share/nginx/html/
EXPOSE 8080
