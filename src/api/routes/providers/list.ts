import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

const ProviderItem = z
  .object({
    slug: z.string(),
    name: z.string(),
    privacy_policy_url: z.string().nullable(),
    terms_of_service_url: z.string().nullable(),
    status_page_url: z.string().nullable(),
  })
  .meta({ id: 'Provider' })

export const listProviders = route({
  method: 'get',
  path: '/providers',
  tag: 'providers',
  key: 'any',
  canBePublic: true,
  summary: 'List providers',
  description: 'Includes the addresses of their policies and status pages, according to the catalogue.',
  response: z.object({ data: z.array(ProviderItem) }),
  faults: ['unauthenticated'],
  handler: (_call, { catalogue }) => ({
    data: catalogue.current().providers.map((provider) => ({
      slug: provider.slug,
      name: provider.name,
      privacy_policy_url: provider.privacyPolicyUrl,
      terms_of_service_url: provider.termsOfServiceUrl,
      status_page_url: provider.statusPageUrl,
    })),
  }),
})
