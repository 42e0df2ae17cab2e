import { providerNeeds } from '#catalogue/sources/provider-needs.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { LoadReport } from './report.ts'

const ProviderNeeds = z
  .object({
    slug: z.string(),
    name: z.string(),
    credential_variables: z.array(z.string()).describe('Any one of them holds the credential. Empty: none is needed.'),
    address_variables: z.array(z.string()).describe('Parts of its address: each is needed.'),
    missing: z.array(z.string()).describe('What has to be set in the environment of the service. Empty: nothing.'),
    models: z.int().describe('How many models it serves.'),
  })
  .meta({ id: 'ProviderNeeds' })

export const getCatalogue = route({
  method: 'get',
  path: '/catalogue',
  tag: 'catalogue',
  key: 'management',
  summary: 'Where the catalogue comes from, what was left out of it and why, and what its providers need',
  description:
    'The report of the last load. The providers stand with the environment variables that hold their credentials, those that serve the most models first; values are never told.',
  response: z.object({ data: z.object({ report: LoadReport, providers: z.array(ProviderNeeds) }) }),
  faults: ['unauthenticated', 'forbidden'],
  handler: (_call, { catalogue, hasCredential }) => ({
    data: { report: catalogue.report(), providers: providerNeeds(catalogue.current(), hasCredential) },
  }),
})
