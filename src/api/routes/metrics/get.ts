import { HttpResponse } from '#platform/http/route.ts'
import { route } from '../route.ts'

export const getMetrics = route({
  method: 'get',
  path: '/metrics',
  tag: 'service',
  key: 'management',
  scope: 'organization',
  summary: 'Get the metrics of this server in the Prometheus text format',
  description: 'With the setting `metrics_port`, the metrics are also served without a key on that port.',
  mediaTypes: ['text/plain'],
  faults: ['unauthenticated', 'forbidden'],
  handler: async (_call, { metrics }) => {
    const { contentType, text } = await metrics.read()
    return new HttpResponse(200, { 'content-type': contentType }, text)
  },
})
