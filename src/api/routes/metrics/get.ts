import { HttpAnswer } from '#platform/http/route.ts'
import { route } from '../route.ts'

export const getMetrics = route({
  method: 'get',
  path: '/metrics',
  tag: 'service',
  key: 'management',
  summary: 'Metrics of this server in the text format of Prometheus',
  description: 'With the setting `metrics_port` they are served without a key as well, on that port.',
  mediaTypes: ['text/plain'],
  faults: ['unauthenticated', 'forbidden'],
  handler: async (_call, { metrics }) => {
    const { contentType, text } = await metrics.read()
    return new HttpAnswer(200, { 'content-type': contentType }, text)
  },
})
