import { z } from '../../json/schema.ts'
import { limitSetting, listSetting } from '../setting-values.ts'

const Address = z
  .string()
  .regex(/^[A-Za-z0-9.:-]{1,253}$/, 'must be a host name or an IP address, without a port or brackets')

/** Addresses that stand for all addresses of a host. Nothing can connect to another host by them. */
const unspecified = /^(0\.0\.0\.0|[0:]*:[0:]*)$/

/** The settings that say where interns run. */
export const internHostSettings = {
  interns: z
    .enum(['here', 'off'])
    .default('here')
    .describe('Whether interns run on the host of this server (`here`) or only on hosts of other servers (`off`).'),
  intern_host: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,100}$/, 'must be letters, digits, ".", "_" and "-"')
    .optional()
    .describe(
      'The name of the host that stores interns’ files. Default: the host name of the system. Servers that share the data folder must have the same name.',
    ),
  intern_labels: listSetting(
    z.string().regex(/^[a-z0-9][a-z0-9._=/-]{0,62}$/, 'must be lowercase letters, digits, ".", "_", "=", "/" and "-"'),
  )
    .default([])
    .describe('The labels of this host. Interns select hosts by label (`host_labels`): `gpu, region=eu`.'),
  intern_capacity: limitSetting(0).describe(
    'The number of interns on this host above which new ones are placed on other hosts; 0: unlimited.',
  ),
  intern_address: Address.refine(
    (address) => !unspecified.test(address),
    'must be the address by which other servers reach this host; to listen on all its addresses, set intern_listen to 0.0.0.0 or ::',
  )
    .optional()
    .describe(
      'The address at which servers on other hosts reach the interns of this host. If unset, only servers on this host reach them. Needs Postgres.',
    ),
  intern_listen: Address.optional().describe(
    'The address on which interns listen for other hosts. Default: `intern_address`.',
  ),
  intern_ports: z
    .string()
    .regex(/^\d{1,5}-\d{1,5}$/, { error: 'must be two ports, such as 21000-21999', abort: true })
    .refine((range) => {
      const [first, last] = range.split('-').map(Number) as [number, number]
      return first >= 1 && first <= last && last <= 65_535
    }, 'must be two ports from 1 to 65535, the lower one first')
    .default('21000-21999')
    .describe('The range of ports. Each intern uses one, and the server uses one for stopped interns.'),
}
