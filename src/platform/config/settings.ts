import { regions } from '../core/vocabulary.ts'
import { defaultOf, z } from '../json/schema.ts'
import { isNetwork } from '../net/networks.ts'
import { catalogueSettings } from './catalogue-settings.ts'
import { databaseSettings } from './database-settings.ts'
import { internHostSettings } from './intern-host-settings.ts'
import { internSettings } from './intern-settings.ts'
import { kubernetesSettings } from './kubernetes-settings.ts'
import { networkSettings } from './network-settings.ts'
import { oidcSettings } from './oidc-settings.ts'
import { retentionSettings } from './retention-settings.ts'
import { address, ChosenKey, HostName, list, milliseconds, Origin, PlainOrigin } from './setting-values.ts'

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
    .union([z.literal('auto'), z.coerce.number().int().min(1).max(256)], {
      error: 'must be "auto" or a whole number from 1 to 256',
    })
    .default(1)
    .describe(
      'How many processes answer requests, each on a core of its own; `auto` for as many as there are cores, less one.',
    ),
  worker_silence_ms: z.coerce
    .number()
    .int()
    .min(1000)
    .default(20_000)
    .describe('A worker that has not answered its primary for this time is killed and replaced.'),
  data_dir: z.string().min(1).default('./data').describe('The folder for the embedded database and key files.'),
  encryption_key_file: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The key that encrypts provider credentials at rest: 64 hexadecimal digits. Default: made once as `encryption.key` in the data folder. Several servers share one.',
    ),
  ...databaseSettings,
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
  ...networkSettings,
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
  ...catalogueSettings,
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
  first_content_hold_ms: milliseconds(15_000).describe(
    'How long a stream without content is held back so that a failure can still lead to another endpoint.',
  ),
  keepalive_ms: milliseconds(15_000).describe(
    'How often a stream sends a keepalive, from before the first attempt to its end.',
  ),
  ...retentionSettings,
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
  ...internSettings,
  webhook_origins: list(PlainOrigin('https://hooks.internal or http://hooks.internal:3000'))
    .default([])
    .describe(
      'Servers that webhooks may go to besides those at public addresses over https, by origin; in private networks and over http too: `http://hooks.internal:3000`.',
    ),
  public_url: address(
    /^https?:\/\/[^/?#@\s]+(\/[\w.~-]+)*\/?$/,
    'must be an origin such as https://signalbox.example.com, with a path if this service is below one',
  )
    .transform((text) => text.replace(/\/$/, ''))
    .optional()
    .describe(
      'Where people reach this service with a browser, such as `https://signalbox.example.com`: links in webhooks, sign-in links and feeds begin with it. It may have a path, such as `https://example.com/llm`. Without it, webhooks have no links, and the others begin with the `Host` of the request.',
    ),
  repository_origins: list(PlainOrigin('https://git.internal or http://git.internal:3000'))
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
export const fileOnly: ReadonlySet<SettingName> = new Set(['zdr_vendors', 'regions', 'agents'])

/** Settings never shown: `signalbox config` masks them. */
export const secretSettings: ReadonlySet<SettingName> = new Set([
  'bootstrap_management_key',
  'bootstrap_api_key',
  'database_url',
  'oidc_client_secret',
  // Their URLs may hold a password.
  'https_proxy',
  'http_proxy',
])
