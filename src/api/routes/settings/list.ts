import { settingsInForce } from '#platform/config/show.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

const Setting = z
  .object({
    name: z.string(),
    variable: z.string().nullable().describe('The environment variable that says it; null where only the file can.'),
    meaning: z.string(),
    value: z.unknown().describe('Null where it is not set, and where it is a secret.'),
    default: z.unknown().describe('Null where there is none.'),
    is_set: z.boolean(),
    is_secret: z.boolean().describe('Its value is never told.'),
    source: z.enum(['environment', 'file', 'default']),
    source_name: z.string().nullable().describe('The variable, or the path of the file.'),
  })
  .meta({ id: 'Setting' })

export const listSettings = route({
  method: 'get',
  path: '/settings',
  tag: 'service',
  key: 'management',
  summary: 'The settings in force, each with its value and who said it; no secret is told',
  description:
    'In the order of the documentation. They are read at the start from the environment, else from the configuration file; to change one, change it there and start again.',
  response: z.object({ data: z.array(Setting) }),
  faults: ['unauthenticated', 'forbidden'],
  handler: (_call, { config, settingSources }) => ({ data: settingsInForce(config, settingSources) }),
})
