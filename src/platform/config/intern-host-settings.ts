import { z } from '../json/schema.ts'
import { atMost, list } from './setting-values.ts'

const Address = z
  .string()
  .regex(/^[A-Za-z0-9.:-]{1,253}$/, 'must be a host name or an IP address, without a port or brackets')

/** The settings that say where interns run. */
export const internHostSettings = {
  interns: z
    .enum(['here', 'off'])
    .default('here')
    .describe('Whether interns run on the host of this server (`here`), or on those of other servers alone (`off`).'),
  intern_host: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,100}$/, 'must be letters, digits, ".", "_" and "-"')
    .optional()
    .describe(
      'The name of the host that keeps interns’ files; an intern belongs to it by this name. Default: the name of the system. Servers that share the data folder share the name.',
    ),
  intern_labels: list(
    z.string().regex(/^[a-z0-9][a-z0-9._=/-]{0,62}$/, 'must be lowercase letters, digits, ".", "_", "=", "/" and "-"'),
  )
    .default([])
    .describe('What this host has, for interns that want it (`host_labels`): `gpu, region=eu`.'),
  intern_capacity: atMost(0).describe(
    'How many interns run here before new ones are sent to other hosts; 0 for any number. Those that live here start in any case.',
  ),
  intern_address: Address.optional().describe(
    'At which address servers on other hosts reach the interns of this one, over TCP with certificates on both sides. Unless set, only servers on this host do. Counts with Postgres alone.',
  ),
  intern_listen: Address.optional().describe(
    'On which address of this host the interns’ daemons, and the server for those that do not run, listen for them. Default: `intern_address`.',
  ),
  intern_ports: z
    .string()
    .regex(/^\d{1,5}-\d{1,5}$/, 'must be two ports, such as 21000-21999')
    .refine((range) => {
      const [first, last] = range.split('-').map(Number) as [number, number]
      return first >= 1 && first <= last && last <= 65_535
    }, 'must be two ports from 1 to 65535, the lower one first')
    .default('21000-21999')
    .describe('On which ports; each intern has one, and the server one for those that do not run.'),
}
