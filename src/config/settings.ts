import { isNetwork } from '#lib/networks.ts'
import { defaultOf, z } from '#lib/schema.ts'
import { regions } from '#lib/vocabulary.ts'
import { internHostSettings } from './intern-host-settings.ts'
import { kubernetesSettings } from './kubernetes-settings.ts'
import { oidcSettings } from './oidc-settings.ts'
import {
  atMost,
  ChosenKey,
  ConfiguredAgent,
  distinctVendors,
  HostName,
  list,
  milliseconds,
  Origin,
  Vendor,
} from './setting-values.ts'

/**
 * Every setting of the service, in one place. Each is read from the environment variable of the same name in
 * capitals, else from the configuration file, else it has the default here. Settings marked `file only` hold
 * structure and are read from the file alone.
 */
export const Settings = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').describe('The address to listen on.'),
  port: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(8080)
    .describe('The port to listen on; 0 takes any free one.'),
  workers: z
    .union([z.literal('auto'), z.coerce.number().int().min(1).max(256)])
    .default(1)
    .describe(
      'How many processes answer requests, each on a core of its own; `auto` for as many as there are cores, less one.',
    ),
  worker_silence_ms: z.coerce
    .number()
    .int()
    .min(1000)
    .default(20_000)
    .describe(
      'A worker that has not answered its primary for so long hangs: it is ended, and another takes its place.',
    ),
  data_dir: z.string().min(1).default('./data').describe('The folder for the embedded database and key files.'),
  encryption_key_file: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The key that encrypts provider credentials at rest: 64 hexadecimal digits. Default: made once as `encryption.key` in the data folder. Several servers share one.',
    ),
  database_url: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres:// or postgresql://')
    .optional()
    .describe('A Postgres database; without it the embedded one in the data folder is used.'),
  database_statement_timeout_ms: milliseconds(7000).describe(
    'How long Postgres may work on one statement. Migrations take as long as they take.',
  ),
  database_lock_timeout_ms: milliseconds(5000).describe(
    'How long a statement may wait for what another transaction in Postgres has locked.',
  ),
  database_idle_transaction_timeout_ms: milliseconds(7000).describe(
    'How long a transaction may stand open without a word, before Postgres ends it: so long a server whose host died holds what it has locked.',
  ),
  database_query_timeout_ms: milliseconds(9000).describe(
    'How long Postgres may take to answer; then the connection counts as dead and is replaced. At least a second more than a statement may take.',
  ),
  database_keepalive_ms: milliseconds(10_000).describe(
    'After how much silence TCP asks whether the other side of a connection to Postgres is still there.',
  ),
  stale_keys_ms: z.coerce
    .number()
    .int()
    .min(0)
    .max(86_400_000)
    .default(0)
    .describe(
      'For how long keys, guardrails, presets and provider keys as last known go on being trusted while Postgres is away; 0 for not at all. What is revoked meanwhile is not known.',
    ),
  stale_limits: z
    .enum(['refuse', 'leased'])
    .default('refuse')
    .describe(
      'Requests under a limit while keys are trusted that way: `refuse` them, or serve them from what this server has `leased` already.',
    ),
  spill_bytes: z.coerce
    .number()
    .int()
    .min(1024 * 1024)
    .max(1024 ** 4)
    .default(256 * 1024 * 1024)
    .describe(
      'How much of what was metered may wait in files of the data folder, in bytes, while the database takes nothing. With more no request is taken; one is about 1 kB.',
    ),
  bootstrap_management_key: ChosenKey.optional().describe(
    'The value of the first management key, instead of a random one.',
  ),
  bootstrap_api_key: ChosenKey.optional().describe('The value of the first API key, instead of a random one.'),
  log_level: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('How much is logged, on standard error.'),
  log_format: z
    .enum(['auto', 'json', 'pretty'])
    .default('auto')
    .describe('`auto` is pretty on a terminal, JSON elsewhere.'),
  metrics_port: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .optional()
    .describe(
      'Serves Prometheus metrics without a key on this port of the same host. Without it: `/api/v1/metrics` with a management key.',
    ),
  metrics_hosts: list(HostName)
    .default([])
    .describe(
      'By which host names `metrics_port` may be asked, besides `localhost` and loopback addresses: `metrics.internal, 10.0.0.5`.',
    ),
  trusted_proxies: list(z.string().refine(isNetwork, 'must be an IP address or a network such as 10.0.0.0/8'))
    .default([])
    .describe(
      'Addresses and networks of proxies that are believed when they say, in `proxy_host_header`, by which host they were asked. Nobody else is.',
    ),
  proxy_host_header: z
    .enum(['x-forwarded-host', 'forwarded'])
    .default('x-forwarded-host')
    .describe('In which header a trusted proxy says it. The proxy must set it, and not pass on what its client sent.'),
  session_idle_minutes: z.coerce
    .number()
    .int()
    .min(5)
    .max(43_200)
    .default(480)
    .describe('After how many minutes without a request a browser is signed out.'),
  session_hours: z.coerce
    .number()
    .int()
    .min(1)
    .max(8760)
    .default(168)
    .describe('After how many hours a browser is signed out in any case.'),
  ...oidcSettings,
  cors_origins: list(Origin)
    .default([])
    .describe(
      'Origins whose pages may call this service from browsers: `https://app.example.com, http://localhost:3000`; `*` is any. Without it browsers refuse.',
    ),
  console: z
    .stringbool()
    .default(true)
    .describe('Whether the console for browsers is served, on the same port as the API.'),
  public_models: z
    .stringbool()
    .default(false)
    .describe(
      'Whether models, their endpoints and providers can be read without a key. One that is sent must be right.',
    ),
  dialect: z
    .enum(['spec', 'openrouter'])
    .default('spec')
    .describe(
      '`openrouter` serves clients that validate its closed enumerations: tool name, fallback model, numeric endpoint status.',
    ),
  catalogue_file: z
    .string()
    .min(1)
    .optional()
    .describe('Your own catalogue file (YAML or JSON), which overrides all other sources.'),
  models_dev_file: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A models.dev snapshot. Default: `models.dev.json` in the data folder, where `npx signalbox catalogue sync` puts it.',
    ),
  starter_catalogue: z
    .stringbool()
    .default(true)
    .describe('Whether the catalogue that comes with Signalbox is loaded.'),
  zdr_vendors: z
    .strictObject({ a: Vendor, b: Vendor, c: Vendor, d: Vendor })
    .superRefine(distinctVendors)
    .default({
      a: { author: 'anthropic', suffix: 'anthropic' },
      b: { author: 'google', suffix: 'google' },
      c: { author: 'openai', suffix: 'openai' },
      d: { author: 'x-ai', suffix: 'xai' },
    })
    .describe('Which model vendor each of `enforce_zdr_vendor_a` to `_d` means (file only).'),
  max_body_bytes: z.coerce
    .number()
    .int()
    .min(1024 * 1024)
    .max(256 * 1024 * 1024)
    .default(4 * 1024 * 1024)
    .describe(
      'The largest body of a request, in bytes. Raise it where requests carry many images or documents; each is held in memory. Interns take 1 MiB whatever this says.',
    ),
  connect_timeout_ms: milliseconds(10_000).describe('How long connecting to a provider may take.'),
  first_byte_timeout_ms: milliseconds(120_000).describe(
    'How long a provider may take to the first byte of its answer.',
  ),
  silence_timeout_ms: milliseconds(60_000).describe('How long a provider may be silent within an answer.'),
  keepalive_ms: milliseconds(15_000).describe('How often a stream says that it is alive until its answer begins.'),
  generation_retention_days: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe('How long the record of a single request is kept. Sums per day stay.'),
  content_retention_days: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe('How long what was asked and answered is kept, in workspaces that want it kept.'),
  content_bytes: z.coerce
    .number()
    .int()
    .min(1024)
    .max(16 * 1024 * 1024)
    .default(256 * 1024)
    .describe('How much of it is kept of a request, and as much of its answer, in bytes; the rest is cut.'),
  intern_heartbeat_ms: milliseconds(30_000).describe('How often a silent stream of an intern says that it is alive.'),
  intern_budget_ms: milliseconds(300_000).describe(
    'How long an intern may say nothing before a turn counts as timed out.',
  ),
  turns_per_minute_user: z.coerce
    .number()
    .int()
    .min(1)
    .default(60)
    .describe('Prompts to interns a user may send in a minute.'),
  turns_per_minute_organization: z.coerce
    .number()
    .int()
    .min(1)
    .default(600)
    .describe('Prompts to interns an organization may send in a minute.'),
  regions: z
    .record(HostName, z.enum(regions))
    .default({})
    .describe(
      'Through which region a request comes in, by the host name it uses; `global` for every other (file only).',
    ),
  ...internHostSettings,
  ...kubernetesSettings,
  intern_unresponsive_ms: z.coerce
    .number()
    .int()
    .min(1000)
    .max(3_600_000)
    .default(30_000)
    .describe('How long the daemon of an intern may fail to answer before it is ended and started again.'),
  intern_idle_ms: z.coerce
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(0)
    .describe(
      'After how long without a turn the processes of an intern end, until the next prompt starts them again; 0 for never.',
    ),
  intern_agent_answer_ms: milliseconds(60_000).describe(
    'How long an agent may take to begin, and to open a session or take it up again, before the turn is refused.',
  ),
  intern_question_ms: milliseconds(300_000).describe('How long a question of an intern waits for its answer.'),
  intern_open_questions: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(8)
    .describe('How many runs of one intern may wait for an answer at once.'),
  intern_replay_bytes: z.coerce
    .number()
    .int()
    .min(1024)
    .max(1024 ** 3)
    .default(1024 ** 2)
    .describe('How much of its output is kept for a run that waits; with more it cannot be resumed.'),
  intern_transcript_bytes: z.coerce
    .number()
    .int()
    .min(256 * 1024)
    .max(64 * 1024 ** 3)
    .default(64 * 1024 ** 2)
    .describe(
      'How much one intern keeps of what was said and done in its sessions, each of which may have a quarter of it; the oldest goes first.',
    ),
  intern_transcript_days: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe('After how many quiet days a session’s transcript is forgotten.'),
  intern_processes: atMost(1024).describe(
    'How many processes and threads one intern may have at once, all it runs together; 0 for any number.',
  ),
  intern_memory_bytes: atMost(4 * 1024 ** 3).describe(
    'How much memory one intern may hold, all it runs together; 0 for any.',
  ),
  intern_disk_bytes: atMost(10 * 1024 ** 3).describe(
    'How much the files of one intern (`workspace/` and `state/`) may take on the disk; 0 for any.',
  ),
  intern_upload_bytes: atMost(1024 ** 3).describe(
    'How large a file or an archive, unpacked, may be that comes into an intern’s workspace by the API, and an archive that goes out; 0 for none. The disk limit holds besides.',
  ),
  intern_log_bytes: atMost(16 * 1024 ** 2).describe(
    'How long the log of an intern’s daemon may grow before it begins anew; 0 for any.',
  ),
  intern_control_groups: z
    .stringbool()
    .default(true)
    .describe(
      'Whether interns are held and ended by control groups (cgroup v2), where the service was given one to divide.',
    ),
  default_intern_model: z
    .string()
    .min(1)
    .default('signalbox/demo')
    .describe(
      'The model of interns that have none of their own: any that `/chat/completions` takes; `script` asks no model and plays the offline script.',
    ),
  demo_intern: z.stringbool().default(true).describe('Whether the first start makes an intern named `demo`.'),
  keep_interns_running: z
    .stringbool()
    .default(false)
    .describe('Whether interns go on when the server stops, for the next one to take over.'),
  intern_users_from: z.coerce
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(1_900_000_000)
    .describe('When the server runs as root, each intern gets a user id of its own from this number on; 0 for none.'),
  sandbox_program: z
    .string()
    .startsWith('/')
    .optional()
    .describe(
      'The bubblewrap (`bwrap`) that makes the sandbox of interns. Unless set, the first on the PATH that works, else util-linux.',
    ),
  without_sandbox: z
    .enum(['refuse', 'consent'])
    .default('refuse')
    .describe(
      'Where no sandbox can be made, whether commands that an intern asks for in `manual` are refused, or run without one when a person consents.',
    ),
  agents: z
    .record(z.string().min(1).max(100), ConfiguredAgent)
    .default({})
    .describe('Agents that interns may be made with, by name (file only).'),
  allow_custom_agents: z
    .stringbool()
    .default(false)
    .describe('Whether whoever has an API key may make an intern that runs a command of their choice on this host.'),
  webhook_origins: list(
    z
      .string()
      .regex(
        /^https?:\/\/[a-z0-9.:[\]-]+$/,
        'must be an origin in lower case without a path, such as https://hooks.internal or http://hooks.internal:3000',
      ),
  )
    .default([])
    .describe(
      'Servers that webhooks may go to besides those at public addresses over https, by origin; in private networks and over http too: `http://hooks.internal:3000`.',
    ),
  public_url: z
    .string()
    .regex(/^https?:\/\/[^/?#@\s]+$/, 'must be an origin without a path, such as https://signalbox.example.com')
    .optional()
    .describe(
      'Where people reach this service with a browser, such as `https://signalbox.example.com`: links in webhooks begin with it. Without it there are none.',
    ),
  repository_origins: list(
    z
      .string()
      .regex(
        /^https?:\/\/[a-z0-9.:[\]-]+$/,
        'must be an origin in lower case without a path, such as https://git.internal or http://git.internal:3000',
      ),
  )
    .default([])
    .describe(
      'From which servers alone interns may begin with a clone, by origin; in private networks and over http too: `https://git.internal, http://localhost:3000`. Unless set, from any at a public address over https.',
    ),
  repository_clone_ms: milliseconds(600_000).describe('How long the clone that an intern begins with may take.'),
  drain_ms: z.coerce
    .number()
    .int()
    .min(0)
    .max(600_000)
    .default(0)
    .describe(
      'How long new requests are still taken after SIGTERM, while `/health` is 503 already, in milliseconds: longer than a balancer takes to notice. Ctrl-C does not wait for it.',
    ),
  shutdown_grace_ms: z.coerce
    .number()
    .int()
    .min(0)
    .max(3_600_000)
    .default(1500)
    .describe(
      'How long requests under way may go on after that, in milliseconds, streams too. The process ends as soon as the last one has.',
    ),
})

/** The settings in force, frozen. */
export type Config = Readonly<z.infer<typeof Settings>>

export type SettingName = keyof typeof Settings.shape

export const settingNames = Object.keys(Settings.shape) as SettingName[]

/**
 * The settings by what is given of them. Where all of it is right, the schemas of the others are not made: a start would
 * spend more on them than on all else that it reads.
 */
export function parseSettings(given: Record<string, unknown>): z.ZodSafeParseResult<Config> {
  const schemas: Record<string, z.ZodType> = Settings.shape
  const values: Record<string, unknown> = {}
  for (const name of settingNames) {
    const parsed = given[name] === undefined ? undefined : schemas[name]!.safeParse(given[name])
    if (parsed?.success === false) return Settings.safeParse(given)
    const value = parsed ? parsed.data : defaultOf(schemas[name]!)
    if (value !== undefined) values[name] = value
  }
  const isKnown = (name: string) => Object.hasOwn(schemas, name)
  return Object.keys(given).every(isKnown) ? { success: true, data: values as Config } : Settings.safeParse(given)
}

/** Settings that hold structure, which an environment variable cannot. */
export const fileOnly: ReadonlySet<SettingName> = new Set(['zdr_vendors', 'regions'])

/** Settings never shown: `signalbox config` masks them. */
export const secretSettings: ReadonlySet<SettingName> = new Set([
  'bootstrap_management_key',
  'bootstrap_api_key',
  'database_url',
  'oidc_client_secret',
])
