import { z } from '../../json/schema.ts'
import { parseJsonSetting, SecureAddress } from '../setting-values.ts'

/** The JSON Web Tokens of an issuer that are accepted instead of API keys. */
export const jwtSettings = {
  jwt_issuer: SecureAddress.optional().describe(
    'The issuer (`iss`) whose JSON Web Tokens are accepted instead of API keys. Without it no token is accepted.',
  ),
  jwt_audience: z
    .string()
    .min(1)
    .optional()
    .describe('The audience (`aud`) that a token must name: this service, as the issuer knows it.'),
  jwt_jwks_url: SecureAddress.optional().describe(
    'The address of the keys of the issuer. Default: `jwks_uri` of its OpenID Connect description.',
  ),
  jwt_member_claim: z
    .string()
    .min(1)
    .default('sub')
    .describe(
      'The claim that names the member: a value of `jwt_members`, for `sub` an account that has signed in by OpenID Connect, for other claims an email address or ID.',
    ),
  jwt_members: z
    .preprocess(parseJsonSetting, z.record(z.string(), z.string().min(1)))
    .default({})
    .describe(
      'The members, by email address or ID, for values of that claim: `{"system:serviceaccount:ci:build": "ci@example.com"}`.',
    ),
  jwt_trust_addresses: z
    .stringbool()
    .default(false)
    .describe('Whether the claim `email` names a member although the token does not say that it is verified.'),
  jwt_workspace_claim: z
    .string()
    .min(1)
    .optional()
    .describe('The claim with the ID or slug of the workspace. Default: the first workspace of the member.'),
  jwt_guardrail_claim: z
    .string()
    .min(1)
    .optional()
    .describe('The claim with the ID or name of an additional guardrail. Tokens without the claim are then refused.'),
}
