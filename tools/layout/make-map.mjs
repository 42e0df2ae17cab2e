#!/usr/bin/env node
import { globSync, writeFileSync } from 'node:fs'

// node make-map.mjs CHECKOUT MAP.json: writes the map of the planned layout (see README.md).
const root = process.argv[2]
const map = {}
const files = new Set(
  globSync(['src/**/*'], { cwd: root, withFileTypes: true })
    .filter((d) => d.isFile())
    .map((d) => `${d.parentPath}/${d.name}`.slice(root.replace(/\/$/, '').length + 1)),
)
const _stem = (f) => f.replace(/\.ts$/, '')
/** put('src/platform/core/', 'src/platform/core/', 'a b c'): a.ts, a.test.ts and a.*.test.ts move. Without a list: the whole folder. */
function put(from, to, names) {
  if (names === undefined) {
    map[from] = to
    return
  }
  for (const name of names.trim().split(/\s+/)) {
    if (name.endsWith('/')) {
      map[from + name] = to + name
      continue
    }
    let n = 0
    for (const f of files) {
      if (!f.startsWith(from)) continue
      const rest = f.slice(from.length)
      if (
        rest === name ||
        rest === `${name}.ts` ||
        (rest.startsWith(`${name}.`) && !rest.includes('/') && /\.test\.ts$|\.json$|\.md$/.test(rest))
      ) {
        map[f] = to + rest
        n++
      }
    }
    if (!n) console.log('NONE', from + name)
  }
}
// platform
put('src/platform/core/', 'src/platform/core/')
put(
  'src/platform/core/',
  'src/platform/text/',
  'body-text csv edit-distance lines printable text-of-bytes byte-places whole-characters token-estimate byte-batch byte-buffer own-bytes',
)
put(
  'src/platform/core/',
  'src/platform/json/',
  'json-members json-source depth without-nulls schema lazy-zod strict-fields described-rule text list-parameter whole-number',
)
put(
  'src/platform/core/',
  'src/platform/net/',
  'host-name networks public-address web-hosts noticed-when-gone node-http sse bound-handshakes certificates trace-parent response-stream revocable-response caught-up',
)
put(
  'src/platform/core/',
  'src/platform/process/',
  'program process-marker process-priority inherited-files uncaught log sparing-warnings rpc lazy-modules system-error',
)
put('src/platform/core/', 'src/platform/metrics/', 'metric sketch')
put(
  'src/platform/core/',
  'src/platform/async/',
  'in-batches last-known leave-signal made-when-read when-known one-at-a-time time-slices token-bucket once',
)
put('src/platform/config/', 'src/platform/config/')
put('src/platform/db/', 'src/platform/db/')
put(
  'src/platform/db/',
  'src/platform/db/rows/',
  'fold-rows fold insert-rows joined-texts upsert words-occur lend read-cache stale-reads',
)
put('src/platform/db/', 'src/platform/db/maintenance/', 'backup copy data-dir overwrite-deleted failures')
put('src/platform/http/', 'src/platform/http/')
put(
  'src/platform/http/',
  'src/platform/http/request/',
  'accept-encoding byte-range form-body forwarded-host host incoming-call json-body json-parts nul plain-names upload own-path',
)
put(
  'src/platform/http/',
  'src/platform/http/response/',
  'chunked compress download envelope client-error faults finished html-page ready-answer response-stream send-events direct-response',
)
put('src/platform/http/', 'src/platform/http/description/', 'openapi json-schema issues')
put('src/platform/files/', 'src/platform/files/')
// chat
put('src/chat/demo/', 'src/chat/demo/')
// identity
put('src/identity/accounts/', 'src/identity/accounts/')
put(
  'src/identity/accounts/',
  'src/identity/accounts/keys/',
  'console-key disable-key insert-key key-access key-cache key-rows key keys-of-member keys-of-workspace keys last-management-key read-keys reset-management secret',
)
put(
  'src/identity/accounts/',
  'src/identity/accounts/members/',
  'admit-member first-owner member members record-membership role',
)
put('src/identity/sign-in/', 'src/identity/sign-in/')
put('src/identity/provider-keys/', 'src/identity/provider-keys/')
put('src/identity/audit/', 'src/identity/audit/')
// catalogue
put('src/catalogue/measurements/', 'src/catalogue/measurements/')
put('src/catalogue/sources/models-dev/', 'src/catalogue/sources/models-dev/')
put(
  'src/catalogue/',
  'src/catalogue/sources/',
  'discover document expand-url layer load load-cache merge prices-patch provider-needs reload rows starter.json sync whole without-credential without-undefined hints listed-models holder format',
)
put(
  'src/catalogue/',
  'src/catalogue/index/',
  'bits cheapest columns exact items model-item endpoint-item endpoint-status names orders parameters price-scale select select-endpoints snapshot model',
)
put('src/catalogue/', 'src/catalogue/list/', 'feed list query')
// spend
put('src/spend/rollups/', 'src/spend/rollups/')
put('src/spend/ledger/', 'src/spend/ledger/')
put(
  'src/spend/ledger/',
  'src/spend/metering/',
  'write row-writer spill waiting-rows ledger used-since requests-under-way',
)
put('src/spend/budgets/', 'src/spend/budgets/')
put('src/spend/analytics/', 'src/spend/analytics/')
put('src/spend/contents/', 'src/spend/contents/')
// policy
put('src/policy/filters/', 'src/policy/filters/')
put(
  'src/policy/filters/',
  'src/policy/filters/detectors/',
  'address credit-card digits email ip-address name-context name-words number-plans person-name phone prompt-injection secret-rules secrets ssn builtins find-builtin',
)
put('src/policy/filters/detectors/secret-rules/', 'src/policy/filters/detectors/secret-rules/')
put('src/policy/filters/detectors/names/', 'src/policy/filters/detectors/names/')
put(
  'src/policy/filters/',
  'src/policy/filters/patterns/',
  'custom-pattern character-class pattern-size pattern-source pattern-syntax patterns proof references scan-cost',
)
put('src/policy/guardrails/', 'src/policy/guardrails/')
put('src/policy/guardrails/', 'src/policy/guardrails/assignments/', 'assignment-rows assignment assignments')
put(
  'src/policy/guardrails/',
  'src/policy/guardrails/decide/',
  'allowed-models budget content judge model-verdicts policy refusal refuse rules try-text zdr',
)
put('src/policy/replay/', 'src/policy/replay/')
// gateway
put('src/gateway/', 'src/gateway/')
put('src/gateway/attempt/', 'src/gateway/attempt/')
put('src/gateway/plan/', 'src/gateway/plan/')
put('src/gateway/record/', 'src/gateway/record/')
put('src/gateway/admission/', 'src/gateway/admission/')
put('src/gateway/', 'src/gateway/admission/', 'admit')
put('src/gateway/request/', 'src/gateway/request/')
put('src/gateway/request/plugins/', 'src/gateway/request/plugins/')
put('src/gateway/protocol/', 'src/gateway/protocol/')
put('src/gateway/clients/', 'src/gateway/clients/')
put('src/gateway/providers/', 'src/gateway/providers/')
put('src/gateway/presets/', 'src/gateway/presets/')
put('src/gateway/admission/', 'src/gateway/pricing/', 'highest-cost unpriced billable-options priceable bill media')
put('src/gateway/record/', 'src/gateway/pricing/', 'cost rates charged-prices')
put(
  'src/gateway/admission/',
  'src/gateway/admission/bounds/',
  'image-size image-tokens media medium prompt-bound usage-bound lazy-usage-bound worst-case shorter-answer lowered-limits',
)
put('src/gateway/providers/', 'src/gateway/protocol/', 'reasoning-budget')
put('src/gateway/attempt/upstream/', 'src/gateway/providers/demo/', 'demo')
for (const f of files) {
  const m =
    /^src\/routing\/translate\/providers\/((anthropic|gemini|google-gemini|openai-chat|openai-responses)[^/]*)$/.exec(f)
  if (m)
    map[f] =
      `src/gateway/providers/${{ anthropic: 'anthropic', gemini: 'gemini', 'google-gemini': 'gemini', 'openai-chat': 'openai-chat', 'openai-responses': 'openai-responses' }[m[2]]}/${m[1]}`
}
// interns
const I = 'src/interns/registry/'
put(I, `${I}registry/`)
put(I, `${I}lifecycle/`, 'change create relocate relocate-all place wake until-ended')
put(`${I}rules/`, `${I}rules/`)
put(
  I,
  `${I}contract/`,
  'runs run turn-event question activity-item answer transcript turn-budget attachments form refusal files chat-fault chunks',
)
put(
  `${I}rules/`,
  `${I}contract/rules/`,
  'carriers code-options folders glob judge match-command match-place match-rule rule sed-script shell-words',
)
put(
  I,
  `${I}turns/`,
  'attached-parts begin-turn chat-request chat-turn idle-timer pass-events reply session-budget turn-rate whole-reply entry-item',
)
put(
  I,
  `${I}runs/`,
  'follow-runs note-run run-audit run-record run-spending run-store watch-spending watch-starters told metered-usage approvals questions limited-turns',
)
put(I, `${I}hosts/`, 'choose-host list-hosts elsewhere hosts')
put(
  I,
  `${I}remote/`,
  'connect-files connect-runs connect-transcripts daemon-certificates tcp-access tls-connection read-transcript read-event read-events read-answer file-audit log log-secrets',
)
// provision
const P = 'src/provision/supervisor/'
put(P, `${P}supervisor/`)
put(`${P}kubernetes/`, `${P}kubernetes/`)
put(`${P}repository/`, `${P}repository/`)
put(
  P,
  `${P}processes/`,
  'agent-command control-group control-groups daemon-limits daemon-process files-process kept-listener kill-all kept-interns intern-monitor daemon-monitor own-users process-provisioner process-starter programs resource-limits resource-monitor start-daemon tcp-listener user-ids',
)
put(
  P,
  `${P}host/`,
  'resource-limits resource-monitor user-ids processes process-table control-group control-groups intern-home passing-failure intern-log unreachable daemon-health',
)
// daemon
const D = 'src/daemon/'
put(
  D,
  `${D}runs/`,
  'closing-event deadlines decision-store live-run monotonic-clock open-questions outbox pending-question permission-decision play-turn prompt-blocks rule-decisions run-budget run-registry runs-of-intern session-notes session sessions tool-calls turn-failure turn work-clock backpressure agent-host',
)
put(D, D, 'log settings http-answer')
put(D, `${D}store/`, 'store decision-store')
put(`${D}files/`, `${D}server/`, 'serve-alone')
put(D, `${D}scripted/`, 'scripted-agent scripted-commands scripted-play scripted-questions')
put(D, `${D}server/`, 'http-server tls-server request start listeners limits split-event')
// agent
const A = 'src/agent/'
put(
  A,
  `${A}loop/`,
  'acp-updates agent compaction config-options consent count-usage helper loop notify-client open-sessions question repeats replay session-store session settings system-prompt tool-call turn-event turn-usage turn workspace-notes',
)
put(`${A}tools/`, `${A}loop/`, 'other-names')
put(A, `${A}tools/`, 'workspace')
put(
  A,
  `${A}sandbox/`,
  'bubblewrap sandbox-inside sandbox seccomp-calls seccomp unsandboxed util-linux unchecked command command-group sub-reaper process-tree processes shell bounded-text',
)
// api
const R = 'src/api/server/'
put(R, `${R}server/`)
put(`${R}routes/`, `${R}routes/`)
put(R, `${R}routes/`, 'routes route')
put(R, `${R}routes/sessions/`, 'new-session')
put(`${R}events/`, `${R}events/`)
put(`${R}reference/`, `${R}pages/reference/`)
put(R, `${R}pages/`, 'answer-page console-links welcome')
put(
  R,
  `${R}access/`,
  'prefix address member-caller own-page session-cookie flow-cookie preset-scope audit-targets roles authorize admit interns-access require-interns callers-context deps',
)
put(`${R}open/`, 'src/app/open/')
put(`${R}status/`, `${R}status/`)
put(
  R,
  `${R}telemetry/`,
  'circuit-log circuit-metrics completion-log completion-metrics content-metrics intern-run-metrics metrics-server metrics refusal-metrics request-spans state-metrics traces webhook-metrics',
)
put(
  R,
  `${R}interns/`,
  'active-sandbox answer-by-link answerers intern-answer intern-chat intern-files intern-log intern-region intern-repository intern-transcripts interns metered-turn run-standings stop-intern supervision turn-limits',
)
put(R, `${R}models/`, 'anthropic-models endpoint-items model-list named-model dialect')
put('src/app/workers/', 'src/app/workers/')
put('src/api/console/', `${R}console/`)
put(R, 'src/app/', 'start active-sandbox')
// cli
const C = 'src/cli/commands/'
put(C, `${C}commands/`)
put(C, C, 'cli')
put(C, `${C}kit/`, 'api-client fields no-answer store table terminal whole-number intern-path config')
put(C, `${C}chat/`, 'chat')
put(C, `${C}acp/`, 'acp')
put(C, `${C}import/`, 'import')
for (const d of ['acp', 'chat', 'import']) put(`${C + d}/`, `${C + d}/`)
writeFileSync(process.argv[3], JSON.stringify(map, null, 1))
