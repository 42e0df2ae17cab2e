import { listProviderNeeds } from '#catalogue/sources/provider-needs.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { LoadReport } from './report.ts'

const ProviderNeeds = z
  .object({
    slug: z.string(),
    name: z.string(),
    credential_variables: z
      .array(z.string())
      .describe(
        'The environment variables that can contain the credential; one is enough. Empty: no credential is needed.',
      ),
    address_variables: z.array(z.string()).describe('Variables for parts of the base URL. All are required.'),
    missing: z.array(z.string()).describe('Environment variables of the service that must be set. Empty: none.'),
    models: z.int().describe('Number of models of the provider.'),
  })
  .meta({ id: 'ProviderNeeds' })

export const getCatalogue = route({
  method: 'get',
  path: '/catalogue',
  tag: 'catalogue',
  key: 'management',
  scope: 'organization',
  summary: 'Get the sources of the catalogue, skipped rows, and the credentials of providers',
  description:
    'Returns the report of the last load. Providers are listed with the environment variables of their credentials, sorted by number of models. Values are never returned.',
  response: z.object({ data: z.object({ report: LoadReport, providers: z.array(ProviderNeeds) }) }),
  faults: ['unauthenticated', 'forbidden'],
  handler: (_call, { catalogue, hasCredential }) => ({
    data: { report: catalogue.report(), providers: listProviderNeeds(catalogue.current(), hasCredential) },
  }),
})
