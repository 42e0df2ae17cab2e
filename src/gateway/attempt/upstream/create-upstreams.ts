import { demoOrigin, sendToDemo } from '../../providers/demo/demo-upstream.ts'
import { createHttpUpstreams, type UpstreamOptions } from './http-upstream.ts'
import type { Upstreams } from './upstream.ts'

/** All upstreams: the demo model in this process, every other over HTTP. */
export function createUpstreams(options: UpstreamOptions): Upstreams {
  const http = createHttpUpstreams(options)
  return {
    send: (request, timeouts, sink) =>
      request.origin === demoOrigin ? sendToDemo(request, timeouts, sink) : http.send(request, timeouts, sink),
    close: http.close,
  }
}
