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

/** The command of an agent, and its peculiarities. */
export const ConfiguredAgent = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string().trim()).default({}),
  modes: z.strictObject({ manual: z.string(), 'self-drive': z.string() }).partial().optional(),
  authenticate: z.string().min(1).max(256).optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
})

/** In the environment several are written with commas between them. */
export const list = (item: z.ZodType<string, string>) =>
  z.preprocess(
    (given) => (typeof given === 'string' ? given.split(',').map((one) => one.trim()) : given),
    z.array(item),
  )

/** An address of this shape that is one: what only looks like it would fail when it is first used. */
export const address = (shape: RegExp, message: string) =>
  z.string().refine((text) => shape.test(text) && URL.parse(text) !== null, message)

/** The address of an issuer: with TLS, or on this host. */
export const SecureAddress = address(
  /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$))(?![^/?#]*@)/,
  'must be an https address, such as https://login.example.com (http only on this host)',
)

/** JSON of the environment as the object that a file holds. Other text is left to the schema to refuse. */
export function jsonText(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}

const originShape = /^https?:\/\/[a-z0-9.:[\]-]+$/

/** As a browser writes it: it leaves out the usual port. */
export const Origin = z
  .string()
  .refine(
    (text) => text === '*' || (originShape.test(text) && URL.parse(text) !== null),
    'must be "*" or an origin in lower case without a path, such as https://app.example.com',
  )
  .transform((text) => URL.parse(text)?.origin ?? text)

/** An origin that is one server's, and no pattern. @param examples for who wrote something else. */
export const PlainOrigin = (examples: string) =>
  address(originShape, `must be an origin in lower case without a path, such as ${examples}`)

export const HostName = z
  .string()
  .regex(/^([a-z0-9.-]+|\[[0-9a-f:]+\])$/, 'must be a host name in lower case, without a port')

/** A number that holds somebody to something; 0 for not at all. */
export const atMost = (standard: number) => z.coerce.number().int().min(0).default(standard)

export const milliseconds = (standard: number) => z.coerce.number().int().min(1).max(3_600_000).default(standard)

/** No vendor twice, and no field whose name already means something else. */
export function distinctVendors(vendors: Record<string, z.infer<typeof Vendor>>, context: z.RefinementCtx): void {
  const [authors, suffixes] = [new Set<string>(), new Set(['other', 'vendor_a', 'vendor_b', 'vendor_c', 'vendor_d'])]
  for (const [letter, { author, suffix }] of Object.entries(vendors)) {
    const refuse = (name: string, value: string) =>
      context.addIssue({ code: 'custom', path: [letter, name], message: `"${value}" is taken` })
    if (authors.has(author)) refuse('author', author)
    if (suffixes.has(suffix)) refuse('suffix', suffix)
    authors.add(author)
    suffixes.add(suffix)
  }
}
