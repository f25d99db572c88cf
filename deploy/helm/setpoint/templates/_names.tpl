{{/* Which release a thing belongs to; with a component beside it, it selects the pods of one service. */}}
{{- define "setpoint.labels" -}}
app.kubernetes.io/name: setpoint
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "setpoint.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* What the restricted pod security standard asks of a container. */}}
{{- define "setpoint.container" -}}
image: {{ include "setpoint.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* What it asks of a pod. No links: a Service called setpoint would come as SETPOINT_PORT, which is a setting. */}}
{{- define "setpoint.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- end }}
