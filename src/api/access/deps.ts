import type { Measures } from '#catalogue/measurements/measures.ts'
import type { CatalogueHolder } from '#catalogue/sources/catalogue-holder.ts'
import type { GatewayDeps } from '#gateway/deps.ts'
import type { KeyCache } from '#identity/accounts/keys/key-cache.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import type { OidcClient } from '#identity/sign-in/oidc-client.ts'
import type { Sessions } from '#identity/sign-in/sessions.ts'
import type { SignInAttempts } from '#identity/sign-in/sign-in-attempts.ts'
import type { Tokens } from '#identity/tokens/tokens.ts'
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
import type { Scanner } from '#policy/filters/scanner.ts'
import type { GuardrailCache } from '#policy/guardrails/guardrail-cache.ts'
import type { Provisioner } from '#provision/supervisor/provisioner.ts'
import type { ConsoleBundle } from '../console/bundle-cache.ts'
import type { LiveEvents } from '../events/live-events.ts'
import type { HostStatus } from '../status/process-status.ts'
import type { Readiness } from '../status/readiness.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** The dependencies of all routes. Functions declare only the members that they use. */
export type ApiDeps = {
  catalogue: CatalogueHolder
  config: Config
  /** The source of each setting. */
  settingSources: SettingSources
  /** The bundle of the console; undefined if the console is disabled. */
  console: ConsoleBundle | undefined
  db: Db
  /** Whether an environment variable holds a provider's credential. */
  hasCredential: (variable: string) => boolean
  /** Whether a command can be run, on this PATH or on that of this process. */
  hasProgram: (command: string, path?: string) => boolean
  /** Caches the guardrails that apply to a caller. */
  guardrailCache: GuardrailCache
  keys: KeyCache
  /** Whether this server can answer completions. */
  readiness: Readiness
  /** The measured speed and availability of endpoints. */
  measures: Measures
  metrics: Metrics
  now: Now
  newId: NewId
  /** The dependencies of completions. */
  gateway: GatewayDeps
  /** Scans texts with the content filters of guardrails. */
  scanner: Scanner
  /** The browser sessions of signed-in users. */
  sessions: Sessions
  /** Accepts JSON Web Tokens, if the settings name their issuer. */
  tokens: Tokens | undefined
  /** The client of the OpenID Connect issuer, if the settings name one. */
  oidcClient: OidcClient | undefined
  /** Returns the client's IP address, and the origin by which the client reaches this service. */
  connectionOf: ConnectionOf
  /** Limits the sign-in attempts of each address. */
  signInAttempts: SignInAttempts
  /** Limits the passkey challenges that each address can request. */
  challengeLimit: SignInAttempts
  /** Encrypts provider credentials. */
  vault: Vault
  /** The dependencies of chat turns with interns, which also audit access to files of interns. */
  chatTurnDeps: ChatTurnDeps
  /** Runs the daemons of interns. */
  provisioner: Provisioner
  /** The hosts that interns live on. */
  internHosts: InternHosts
  log: Log
  /** Returns the status of the processes of this host. */
  hostStatus: () => Promise<HostStatus>
  /** The live events for subscribers. */
  liveEvents: LiveEvents
  /** Runs each route's handler within a span; undefined if requests are not traced. */
  wrapHandler: RequestWrapper | undefined
  /** Whether this server will stop soon. */
  isShuttingDown: () => boolean
}
