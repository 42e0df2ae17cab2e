import { effectiveSettings } from '#platform/config/show.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

const Setting = z
  .object({
    name: z.string(),
    variable: z
      .string()
      .nullable()
      .describe('The environment variable of the setting; null if only the configuration file can set it.'),
    meaning: z.string(),
    value: z.unknown().describe('Null if the setting is not set or is a secret.'),
    default: z.unknown().describe('Null if there is none.'),
    is_set: z.boolean(),
    is_secret: z.boolean().describe('The value is never returned.'),
    source: z.enum(['environment', 'file', 'default']),
    source_name: z.string().nullable().describe('The environment variable, or the path of the file.'),
  })
  .meta({ id: 'Setting' })

export const listSettings = route({
  method: 'get',
  path: '/settings',
  tag: 'service',
  key: 'management',
  scope: 'organization',
  summary: 'List the effective settings with their values and sources, without secrets',
  description:
    'Sorted as in the documentation. Settings are read at start from the environment, or from the configuration file. To change a setting, change it there and restart the service.',
  response: z.object({ data: z.array(Setting) }),
  faults: ['unauthenticated', 'forbidden'],
  handler: (_call, { config, settingSources }) => ({ data: effectiveSettings(config, settingSources) }),
})
