import type { Attributes, Span, Tracer } from '@opentelemetry/api'
import { toUsd } from '#lib/pico-usd.ts'
import type { Generation } from '#usage/generation.ts'

/** Tells every completion as a trace: a span of the request, and one for each endpoint that was asked. */
export type Traces = { record: (generation: Generation) => void; close: () => Promise<void> }

type Variable = (name: string) => string | undefined

/** Nothing, and nothing loaded, unless the standard variables name a collector. */
export async function openTraces(variable: Variable): Promise<Traces> {
  const wanted = variable('OTEL_EXPORTER_OTLP_ENDPOINT') ?? variable('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const off = variable('OTEL_SDK_DISABLED') === 'true' || variable('OTEL_TRACES_EXPORTER') === 'none'
  return wanted && !off ? startTraces(variable) : { record: () => {}, close: async () => {} }
}

async function startTraces(variable: Variable): Promise<Traces> {
  const [api, { BatchSpanProcessor, TracerProvider }, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const named = resources.resourceFromAttributes({ 'service.name': variable('OTEL_SERVICE_NAME') ?? 'signalbox' })
  const resource = resources.detectResources({ detectors: [resources.envDetector] }).merge(named)
  const exporter = new OTLPTraceExporter()
  const provider = new TracerProvider({ resource, spanProcessors: [new BatchSpanProcessor({ exporter })] })
  const tracer = provider.getTracer('signalbox')
  return {
    record: (generation) => recordTrace(api, tracer, generation),
    close: () => provider.shutdown().catch(() => {}),
  }
}

type Api = typeof import('@opentelemetry/api')

function recordTrace(api: Api, tracer: Tracer, generation: Generation): void {
  const { createdAt, durationMs, attempts, outcome, requestedModel } = generation
  const name = `chat ${generation.modelId ?? requestedModel}`
  const attributes = attributesOf(generation)
  const options = { kind: api.SpanKind.SERVER, startTime: createdAt, attributes }
  const span = tracer.startSpan(name, options, callersContext(api, generation.traceParent))
  const context = api.trace.setSpan(api.ROOT_CONTEXT, span)
  let startTime = createdAt
  for (const attempt of attempts) {
    const asked = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': attempt.provider,
      'signalbox.endpoint': attempt.endpointId,
    }
    const child = tracer.startSpan(name, { kind: api.SpanKind.CLIENT, startTime, attributes: asked }, context)
    if (attempt.outcome !== 'answered') fail(api, child, attempt.outcome)
    startTime += attempt.durationMs
    child.end(startTime)
  }
  if (outcome !== 'success') fail(api, span, attempts.at(-1)?.outcome ?? outcome)
  span.end(createdAt + durationMs)
}

function fail(api: Api, span: Span, why: string): void {
  span.setAttribute('error.type', why)
  span.setStatus({ code: api.SpanStatusCode.ERROR })
}

const traceParentForm = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/

/** The span of the caller that the `traceparent` header names. */
function callersContext({ ROOT_CONTEXT, trace }: Api, traceParent: string | undefined) {
  const [, traceId, spanId, flags = ''] = traceParentForm.exec(traceParent ?? '') ?? []
  if (!traceId || !spanId) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true })
}

/** By the semantic conventions for generative AI. Undefined attributes are left out. */
function attributesOf(generation: Generation): Attributes {
  const { tokens, caller, latencyMs, finish } = generation
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': generation.provider ?? 'signalbox',
    'gen_ai.request.model': generation.requestedModel,
    'gen_ai.response.model': generation.upstreamModel,
    'gen_ai.response.id': generation.upstreamId,
    'gen_ai.response.finish_reasons': finish && [finish],
    'gen_ai.usage.input_tokens': tokens.prompt,
    'gen_ai.usage.output_tokens': tokens.completion,
    'gen_ai.usage.cache_read.input_tokens': tokens.cached,
    'gen_ai.usage.cache_creation.input_tokens': tokens.cacheWritten,
    'gen_ai.response.time_to_first_chunk': latencyMs === undefined ? undefined : latencyMs / 1000,
    'gen_ai.conversation.id': generation.sessionId,
    'signalbox.app.title': generation.app?.title,
    'signalbox.app.referer': generation.app?.referer,
    'signalbox.generation.id': generation.id,
    'signalbox.request.id': generation.requestId,
    'signalbox.workspace.id': caller.workspaceId,
    'signalbox.key.hash': caller.keyHash,
    'signalbox.cost.usd': toUsd(generation.cost),
    'signalbox.byok': generation.byok,
  }
}
