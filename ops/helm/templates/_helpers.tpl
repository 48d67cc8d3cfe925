{{- define "outdial.labels" -}}
app.kubernetes.io/name: outdial
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "outdial.selector" -}}
app.kubernetes.io/name: outdial
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "outdial.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "outdial.pod" -}}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: tmp
    emptyDir: {}
  {{- if .Values.secretVariables.secret }}
  - name: secrets
    secret: { secretName: {{ .Values.secretVariables.secret }} }
  {{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "outdial.container" -}}
image: {{ include "outdial.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  {{- if .Values.secretVariables.secret }}
  - { name: secrets, mountPath: /run/secrets, readOnly: true }
  {{- end }}
{{- end }}

{{- define "outdial.env" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef: { name: {{ .Values.connections.secret }}, key: {{ .Values.connections.databaseKey }} }
{{- if .Values.connections.redisKey }}
- name: REDIS_URL
  valueFrom:
    secretKeyRef: { name: {{ .Values.connections.secret }}, key: {{ .Values.connections.redisKey }} }
{{- end }}
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range .Values.secretVariables.names }}
- name: {{ . }}_FILE
  value: /run/secrets/{{ . }}
{{- end }}
{{- end }}
