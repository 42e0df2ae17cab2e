import type { Measures } from '#catalogue/measurements/measures.ts'
import type { CatalogueHolder } from '#catalogue/sources/holder.ts'
import type { RoutingDeps } from '#gateway/deps.ts'
import type { KeyCache } from '#identity/accounts/keys/key-cache.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import type { SignInAttempts } from '#identity/sign-in/attempts.ts'
import type { OidcClient } from '#identity/sign-in/oidc-client.ts'
import type { Sessions } from '#identity/sign-in/sessions.ts'
import type { InternHosts } from '#interns/hosts/hosts.ts'
import type { ChatTurnDeps } from '#interns/turns/chat-turn.ts'
import type { SettingSources } from '#platform/config/load.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import type { ConnectionOf } from '#platform/http/connection.ts'
import type { RequestWrapper } from '#platform/http/mount.ts'
import type { Log } from '#platform/process/log.ts'
import type { Scanner } from '#policy/filters/scan.ts'
import type { GuardrailCache } from '#policy/guardrails/guardrail-cache.ts'
import type { Provisioner } from '#provision/supervisor/provisioner.ts'
import type { ConsoleBundle } from '../console/bundled.ts'
import type { LiveEvents } from '../events/live-events.ts'
import type { Readiness } from '../server/health/readiness.ts'
import type { HostStatus } from '../status/process-status.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** All that routes may need. Functions below ask for the few members they use, by shape. */
export type ApiDeps = {
  catalogue: CatalogueHolder
  config: Config
  /** Who said each setting. */
  settingSources: SettingSources
  /** Where the console is; undefined where it is left out. */
  console: ConsoleBundle | undefined
  db: Db
  /** Whether an environment variable holds a provider's credential. */
  hasCredential: (variable: string) => boolean
  /** Whether a command can be run, on this PATH or on that of this process. */
  hasProgram: (command: string, path?: string) => boolean
  /** The guardrails that hold for a caller. */
  guardrailCache: GuardrailCache
  keys: KeyCache
  /** Whether this server can answer completions. */
  readiness: Readiness
  measures: Measures
  metrics: Metrics
  now: Now
  newId: NewId
  routing: RoutingDeps
  /** Looks through texts by the content filters of guardrails. */
  scanner: Scanner
  /** Who is signed in with a browser. */
  sessions: Sessions
  /** The issuer by which members sign in, if the settings name one. */
  oidc: OidcClient | undefined
  /** From where a request comes, and what the client calls this service. */
  connectionOf: ConnectionOf
  /** How often addresses may try to sign in. */
  attempts: SignInAttempts
  /** Encrypts provider credentials. */
  vault: Vault
  /** The parts that conversations with interns need. */
  conversation: ChatTurnDeps
  /** Runs the daemons of interns. */
  provisioner: Provisioner
  /** The hosts that interns live on. */
  internHosts: InternHosts
  log: Log
  /** How the processes of this host are. */
  hostStatus: () => Promise<HostStatus>
  /** What happens, for those who listen. */
  liveEvents: LiveEvents
  /** Runs each route's handler, if requests are traced. */
  around: RequestWrapper | undefined
  /** Whether this server will stop soon. */
  isShuttingDown: () => boolean
}
