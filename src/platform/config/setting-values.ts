import { z } from '../json/schema.ts'

/** A management or API key whose value the operator chooses: `sb-v1-` and 64 hexadecimal digits. */
export const ChosenKey = z
  .string()
  .regex(/^sb-v1-[0-9a-f]{64}$/, 'must be "sb-v1-" followed by 64 lowercase hex digits')

const AuthorSlug = z.string().regex(/^[a-z0-9][a-z0-9._-]*$/, 'must be an author slug, such as "anthropic"')

export const Vendor = z.strictObject({
  author: AuthorSlug.describe('The author slug whose models the field governs.'),
  suffix: z
    .string()
    .regex(/^[a-z0-9_]+$/, 'must be lowercase letters, digits and _')
    .describe('`enforce_zdr_<suffix>`.'),
})

/** The command that starts an agent, with its environment, modes, sign-in method, and the `_meta` of its sessions. */
export const ConfiguredAgent = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string().trim()).default({}),
  modes: z.strictObject({ manual: z.string(), 'self-drive': z.string() }).partial().optional(),
  authenticate: z.string().min(1).max(256).optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
})

const splitList = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** A list. In an environment variable its items are separated by commas. */
export const listSetting = (item: z.ZodType<string, string>) =>
  z.preprocess((given) => (typeof given === 'string' ? splitList(given) : given), z.array(item))

/** A URL of this form that can also be parsed, so that an invalid one is reported at the start. */
export const urlSetting = (shape: RegExp, message: string) =>
  z.string().refine((text) => shape.test(text) && URL.parse(text) !== null, message)

/** The URL of an issuer: https, or http on this host; without user and password. */
export const SecureAddress = urlSetting(
  /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$))(?![^/?#]*@)/,
  'must be an https address, such as https://login.example.com (http only on this host)',
)

/** Parses JSON of an environment variable into the object that a file contains. The schema rejects other text. */
export function parseJsonSetting(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const originShape = /^https?:\/\/[a-z0-9.:[\]-]+$/

/** An origin in the form of browsers, which omit the default port; or `*`. */
export const Origin = z
  .string()
  .refine(
    (text) => text === '*' || (originShape.test(text) && URL.parse(text) !== null),
    'must be "*" or an origin in lower case without a path, such as https://app.example.com',
  )
  .transform((text) => URL.parse(text)?.origin ?? text)

/** An origin, without `*`. @param examples valid values for the error message. */
export const plainOriginSetting = (examples: string) =>
  urlSetting(originShape, `must be an origin in lower case without a path, such as ${examples}`)

export const HostName = z
  .string()
  .regex(/^([a-z0-9.-]+|\[[0-9a-f:]+\])$/, 'must be a host name in lower case, without a port')

/** A limit; 0 for none. */
export const limitSetting = (defaultValue: number) => z.coerce.number().int().min(0).default(defaultValue)

export const millisecondsSetting = (defaultValue: number) =>
  z.coerce.number().int().min(1).max(3_600_000).default(defaultValue)

/** Rejects a duplicate vendor, and a field name that is in use. */
export function distinctVendors(vendors: Record<string, z.infer<typeof Vendor>>, context: z.RefinementCtx): void {
  const authors = new Set<string>()
  const suffixes = new Set(['other', 'vendor_a', 'vendor_b', 'vendor_c', 'vendor_d'])
  for (const [letter, { author, suffix }] of Object.entries(vendors)) {
    const reportTaken = (name: string, value: string) =>
      context.addIssue({ code: 'custom', path: [letter, name], message: `"${value}" is taken` })
    if (authors.has(author)) reportTaken('author', author)
    if (suffixes.has(suffix)) reportTaken('suffix', suffix)
    authors.add(author)
    suffixes.add(suffix)
  }
}
