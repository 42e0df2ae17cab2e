import { accessRoles, clientSecretMethods, workspaceRoles } from '../../core/vocabulary.ts'
import { z } from '../../json/schema.ts'
import { listSetting, parseJsonSetting, SecureAddress } from '../setting-values.ts'

const Domain = z.string().regex(/^(\*|[a-z0-9.-]+)$/, 'must be a domain in lower case, such as example.com, or "*"')

/** Parses `a=1, b=2` or JSON of an environment variable into the object that a file contains. */
const parsePairs = (given: unknown) =>
  typeof given === 'string' && !given.startsWith('{')
    ? Object.fromEntries(given.split(',').map((pair) => pair.split('=').map((part) => part.trim())))
    : parseJsonSetting(given)

/** How members sign in to the console by OpenID Connect. */
export const oidcSettings = {
  oidc_issuer: SecureAddress.optional().describe(
    'The issuer of OpenID Connect. Its redirect URI is `/api/v1/sessions/oidc/callback` of this service.',
  ),
  oidc_client_id: z.string().min(1).optional().describe('The client ID of this service at the issuer.'),
  oidc_client_secret: z
    .string()
    .min(1)
    .optional()
    .describe('The client secret; none for a public client. PKCE is always used.'),
  oidc_token_auth_method: z
    .enum(['auto', ...clientSecretMethods])
    .default('auto')
    .describe(
      'How the secret is sent to the issuer: `client_secret_basic`, `client_secret_post`, or `auto`: what the issuer lists.',
    ),
  oidc_sign_out: z
    .enum(['service', 'issuer'])
    .default('service')
    .describe(
      'The effect of signing out: `service` ends the session of this service, `issuer` also the one at the issuer, which needs the address of this service as a post-logout redirect URI.',
    ),
  oidc_scopes: z
    .string()
    .refine((text) => text.split(/\s+/).includes('openid'), 'must contain "openid"; scopes are separated by spaces')
    .default('openid email profile')
    .describe('The scopes that are requested from the issuer.'),
  oidc_domains: listSetting(Domain)
    .default([])
    .describe(
      'The email domains whose accounts become members at their first sign-in; `*`: all accounts. If unset, only existing members can sign in.',
    ),
  oidc_role_claim: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The claim that contains roles, such as `groups`, `realm_access.roles`, or `groups.name` for a list of objects. If set, each sign-in updates the role.',
    ),
  oidc_roles: z
    .preprocess(parsePairs, z.record(z.string(), z.enum(accessRoles)))
    .default({})
    .describe(
      'The roles for values of that claim: `platform=admin, engineering=developer`, or JSON. The highest one applies.',
    ),
  oidc_default_role: z
    .enum([...accessRoles, 'none'])
    .default('viewer')
    .describe('The role of new members, and of all accounts whose claim contains no role; `none` refuses them.'),
  oidc_groups_claim: z
    .string()
    .min(1)
    .default('groups')
    .describe('The claim whose values `oidc_groups` maps to workspaces, such as `groups` or `realm_access.roles`.'),
  oidc_groups: z
    .preprocess(
      parseJsonSetting,
      z.record(z.string(), z.strictObject({ workspace: z.string().min(1), role: z.enum(workspaceRoles).optional() })),
    )
    .default({})
    .describe(
      'The workspaces and roles that values of that claim give: `{"team-search": {"workspace": "search", "role": "developer"}}`. `*` stands for every account. Each sign-in updates the workspaces that sign-ins added.',
    ),
  oidc_email_claim: z
    .string()
    .min(1)
    .default('email')
    .describe(
      'The claim that contains the email address, such as `upn` or `preferred_username`. Claims other than `email` also need `oidc_trust_addresses`.',
    ),
  oidc_trust_addresses: z
    .stringbool()
    .default(false)
    .describe('Whether to trust email addresses for which the issuer does not state whether they are verified.'),
}
