import { z } from '../../json/schema.ts'
import { HostName, listSetting } from '../setting-values.ts'

/** The log and the port of metrics. */
export const monitoringSettings = {
  log_level: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('The level of the log, which is written to standard error.'),
  log_format: z
    .enum(['auto', 'json', 'pretty'])
    .default('auto')
    .describe('The format of the log. `auto`: pretty on a terminal, otherwise JSON.'),
  metrics_port: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .optional()
    .describe(
      'The port for Prometheus metrics, without a key. If unset, metrics are only at `/api/v1/metrics`, with a management key.',
    ),
  metrics_hosts: listSetting(HostName)
    .default([])
    .describe(
      'Host names that `metrics_port` accepts in addition to `localhost` and loopback addresses: `metrics.internal, 10.0.0.5`.',
    ),
}
