import { z } from '#platform/json/schema.ts'

/** Base64url, as browsers encode the bytes of a credential. */
const Base64Url = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[\w-]+$/, 'must be base64url')

const commonFields = {
  id: Base64Url(2048),
  rawId: Base64Url(2048),
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['cross-platform', 'platform']).optional(),
  // Accepted and discarded, because no extension is requested.
  clientExtensionResults: z.record(z.string().max(100), z.unknown()).transform(() => ({})),
}

/** The response of `navigator.credentials.get()` as JSON. Fields that are not listed are ignored. */
export const SignedChallenge = z
  .object({
    ...commonFields,
    response: z.object({
      clientDataJSON: Base64Url(8192),
      authenticatorData: Base64Url(8192),
      signature: Base64Url(8192),
      userHandle: Base64Url(128).optional(),
    }),
  })
  .meta({ id: 'PasskeySignature', description: 'A `PublicKeyCredential` of a sign-in, as its `toJSON()` returns it.' })

/** The response of `navigator.credentials.create()` as JSON. Fields that are not listed are ignored. */
export const CreatedCredential = z
  .object({
    ...commonFields,
    response: z.object({ clientDataJSON: Base64Url(8192), attestationObject: Base64Url(65_536) }),
  })
  .meta({ id: 'PasskeyCredential', description: 'A new `PublicKeyCredential`, as its `toJSON()` returns it.' })
