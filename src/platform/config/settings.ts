import { regions } from '../core/vocabulary.ts'
import { z } from '../json/schema.ts'
import { isAddressOrNetwork } from '../net/addresses/networks.ts'
import {
  ChosenKey,
  HostName,
  listSetting,
  millisecondsSetting,
  Origin,
  plainOriginSetting,
  urlSetting,
} from './setting-values.ts'
import { catalogueSettings } from './settings/catalogue-settings.ts'
import { databaseSettings } from './settings/database-settings.ts'
import { internHostSettings } from './settings/intern-host-settings.ts'
import { internSettings } from './settings/intern-settings.ts'
import { jwtSettings } from './settings/jwt-settings.ts'
import { kubernetesSettings } from './settings/kubernetes-settings.ts'
import { mailSettings } from './settings/mail-settings.ts'
import { monitoringSettings } from './settings/monitoring-settings.ts'
import { networkSettings } from './settings/network-settings.ts'
import { oidcSettings } from './settings/oidc-settings.ts'
import { retentionSettings } from './settings/retention-settings.ts'
import { sessionSettings } from './settings/session-settings.ts'
import { shutdownSettings } from './settings/shutdown-settings.ts'
import { timeoutSettings } from './settings/timeout-settings.ts'
import { turnSettings } from './settings/turn-settings.ts'

/**
 * All settings of the service. Each is read from the environment variable of the same name in upper case, or from the
 * configuration file, or has the default given here. Only the file can contain the settings in `fileOnlySettings`.
 */
export const Settings = z.strictObject({
  host: z
    .string()
    .min(1)
    // An IPv6 address in the form of a URL.
    .transform((text) => text.replace(/^\[(.*)\]$/, '$1'))
    .default('127.0.0.1')
    .describe('The address to listen on.'),
  port: z.coerce.number().int().min(0).max(65535).default(8080).describe('The port to listen on; 0: any free port.'),
  workers: z
    .union([z.literal('auto'), z.coerce.number().int().min(1).max(256)], {
      error: 'must be "auto" or a whole number from 1 to 256',
    })
    .default(1)
    .describe('The number of processes that serve requests. `auto`: the number of cores minus one.'),
  worker_silence_ms: z.coerce
    .number()
    .int()
    .min(1000)
    .default(20_000)
    .describe('The time without a response to the primary after which a worker is killed and replaced.'),
  data_dir: z
    .string()
    .min(1)
    .refine((text) => !/^(~|[a-z]\w+:\/\/)/i.test(text), 'must be a path of this host; "~" is not expanded')
    .default('./data')
    .describe('The folder for the embedded database and key files.'),
  encryption_key_file: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A file with the key that encrypts stored secrets: 64 hexadecimal digits, the same for all servers of a database. Default: `encryption.key` in the data folder, generated once.',
    ),
  ...databaseSettings,
  bootstrap_management_key: ChosenKey.optional().describe(
    'The value of the first management key, instead of a random one.',
  ),
  bootstrap_api_key: ChosenKey.optional().describe('The value of the first API key, instead of a random one.'),
  ...monitoringSettings,
  trusted_proxies: listSetting(
    z.string().refine(isAddressOrNetwork, 'must be an IP address or a network such as 10.0.0.0/8'),
  )
    .default([])
    .describe(
      'Addresses and networks of proxies that report scheme and host of a request. Such headers of other clients are ignored.',
    ),
  proxy_host_header: z
    .enum(['x-forwarded-host', 'forwarded'])
    .default('x-forwarded-host')
    .describe(
      'The header in which a trusted proxy reports the requested host. The proxy must overwrite the header of its client.',
    ),
  ...sessionSettings,
  ...oidcSettings,
  ...jwtSettings,
  ...mailSettings,
  ...networkSettings,
  cors_origins: listSetting(Origin)
    .default([])
    .describe(
      'Origins whose pages can call this service from browsers: `https://app.example.com, http://localhost:3000`; `*`: any.',
    ),
  console: z.stringbool().default(true).describe('Whether to serve the console for browsers, on the port of the API.'),
  public_models: z
    .stringbool()
    .default(false)
    .describe('Whether models, endpoints and providers can be read without a key.'),
  dialect: z
    .enum(['spec', 'openrouter'])
    .default('spec')
    .describe('`openrouter`: use the values of OpenRouter where clients such as `@openrouter/sdk` refuse others.'),
  ...catalogueSettings,
  max_body_bytes: z.coerce
    .number()
    .int()
    .min(1024 * 1024)
    .max(256 * 1024 * 1024)
    .default(4 * 1024 * 1024)
    .describe(
      'The largest body of a request, in bytes. Increase it for requests with many images or documents. Each body is held in memory. Interns always accept at most 1 MiB.',
    ),
  ...timeoutSettings,
  ...retentionSettings,
  ...turnSettings,
  regions: z
    .record(HostName, z.enum(regions))
    .default({})
    .describe('The region of a request by the host name it uses; `global` for all other names (file only).'),
  ...internHostSettings,
  ...kubernetesSettings,
  ...internSettings,
  webhook_origins: listSetting(plainOriginSetting('https://hooks.internal or http://hooks.internal:3000'))
    .default([])
    .describe('Origins of webhooks in private networks or with http: `http://hooks.internal:3000`.'),
  public_url: urlSetting(
    /^https?:\/\/[^/?#@\s]+(\/(?!\.\.?(\/|$))[\w.~-]+)*\/?$/i,
    'must be an origin such as https://signalbox.example.com, with a path if this service is below one; without "." and ".."',
  )
    .refine((text) => !/\/api\/v1\/?$/.test(text), 'must not end in /api/v1: the API is below it')
    // The form of browsers, with which origins are compared.
    .transform((text) => new URL(text).href.replace(/\/$/, ''))
    .optional()
    .describe(
      'The URL of this service for browsers, such as `https://signalbox.example.com`, also with a path. Links start with it. If unset, webhooks have no links, and other links use the `Host` of the request.',
    ),
  repository_origins: listSetting(plainOriginSetting('https://git.internal or http://git.internal:3000'))
    .default([])
    .describe(
      'The only origins from which interns can clone a repository: `https://git.internal, http://localhost:3000`. If unset, all https origins at public addresses.',
    ),
  repository_clone_ms: millisecondsSetting(600_000).describe('The timeout for cloning the repository of an intern.'),
  ...shutdownSettings,
})

/** The effective settings, frozen. */
export type Config = Readonly<z.infer<typeof Settings>>

export type SettingName = keyof typeof Settings.shape

export const settingNames = Object.keys(Settings.shape) as SettingName[]

/** Settings that are objects without a form as text, so that no environment variable can contain them. */
export const fileOnlySettings: ReadonlySet<SettingName> = new Set(['zdr_vendors', 'regions', 'agents'])

/** Settings whose values are masked, for example by `signalbox config`. */
export const secretSettings: ReadonlySet<SettingName> = new Set([
  'bootstrap_management_key',
  'bootstrap_api_key',
  'database_url',
  'oidc_client_secret',
  'smtp_url',
  // The URLs can contain a password.
  'https_proxy',
  'http_proxy',
])
