import type { Attributes, Span, Tracer } from '@opentelemetry/api'
import type { IdGenerator } from '@opentelemetry/sdk-trace'
import { toUsd } from '#platform/core/pico-usd.ts'
import { version } from '#platform/core/version.ts'
import { tasks } from '#platform/core/vocabulary.ts'
import { Agent, https } from '#platform/net/node-http.ts'
import { findProxy, type ProxySettings } from '#platform/net/proxies.ts'
import type { SpanContext } from '#platform/net/trace-parent.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import { callerContext } from './caller-context.ts'
import type { RequestSpans } from './request-spans.ts'

/**
 * Exports each completion as a trace: one span for the request, and one for each attempt, also for those that an open circuit
 * prevented.
 */
export type Traces = Partial<RequestSpans> & {
  isEnabled: boolean
  record: (generation: Generation) => void
  close: () => Promise<void>
}

type TracesDeps = {
  /** Reads an environment variable. */
  variable: (name: string) => string | undefined
  now: () => number
  /** Identifies this process among all that send traces. */
  instance: string
  proxies: ProxySettings
}

/** Opens tracing. If the standard variables name no collector, tracing is off, and its library is not loaded. */
export async function openTraces(deps: TracesDeps): Promise<Traces> {
  const { variable } = deps
  // The exporter uses the same order.
  const collector = variable('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? variable('OTEL_EXPORTER_OTLP_ENDPOINT')
  const isDisabled = variable('OTEL_SDK_DISABLED') === 'true' || variable('OTEL_TRACES_EXPORTER') === 'none'
  if (!collector || isDisabled) return { isEnabled: false, record: () => {}, close: async () => {} }
  return startTraces(deps, collector)
}

async function startTraces({ variable, now, instance, proxies }: TracesDeps, collector: string): Promise<Traces> {
  const [api, sdk, { OTLPTraceExporter }, resources, { requestSpans }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('./request-spans.ts'),
  ])
  const serviceName = resources.resourceFromAttributes({ 'service.name': variable('OTEL_SERVICE_NAME') ?? 'signalbox' })
  const serviceInstance = resources.resourceFromAttributes({
    'service.instance.id': instance,
    'service.version': version,
  })
  const resource = serviceInstance
    .merge(resources.detectResources({ detectors: [resources.envDetector] }))
    .merge(serviceName)
  const exporter = new OTLPTraceExporter({ httpAgentOptions: collectorAgent(proxies, collector) })
  const idGenerator = new PresetIds(new sdk.RandomIdGenerator())
  const spanProcessors = [new sdk.BatchSpanProcessor({ exporter })]
  const provider = new sdk.TracerProvider({ resource, spanProcessors, idGenerator })
  const tracer = provider.getTracer('signalbox')
  return {
    isEnabled: true,
    record: (generation) => recordTrace(api, tracer, idGenerator, generation),
    ...requestSpans(api, tracer, now),
    close: () => provider.shutdown().catch(() => {}),
  }
}

/** Returns the HTTP agent for the collector; Node's agents support a proxy if one is set. */
function collectorAgent(proxies: ProxySettings, collector: string) {
  const url = URL.parse(collector)
  const proxy = url ? findProxy(proxies, url) : undefined
  const options = { keepAlive: true, ...(proxy && { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }) }
  return (protocol: string) => (protocol.startsWith('https') ? new (https().Agent)(options) : new Agent(options))
}

/** Generates ids. Some are preset: an upstream received them in `traceparent` before the span is created. */
class PresetIds implements IdGenerator {
  readonly #random: IdGenerator
  #preset: Partial<SpanContext> = {}

  constructor(random: IdGenerator) {
    this.#random = random
  }

  readonly generateTraceId = () => this.#preset.traceId ?? this.#random.generateTraceId()
  readonly generateSpanId = () => this.#preset.spanId ?? this.#random.generateSpanId()

  /** Runs `createSpan` with these ids. A missing id is random. */
  withIds(ids: Partial<SpanContext> | undefined, createSpan: () => Span): Span {
    this.#preset = ids ?? {}
    const span = createSpan()
    this.#preset = {}
    return span
  }
}

type Api = typeof import('@opentelemetry/api')

function recordTrace(api: Api, tracer: Tracer, ids: PresetIds, generation: Generation): void {
  const { createdAt, durationMs, attempts, outcome, requestedModel } = generation
  const operation = operationOf(generation)
  const name = `${operation} ${generation.modelId ?? requestedModel}`
  const attributes = generationAttributes(generation)
  const options = { kind: api.SpanKind.SERVER, startTime: createdAt, attributes }
  const parent = callerContext(api, generation.traceParent)
  const span = ids.withIds(generation.span, () => tracer.startSpan(name, options, parent))
  const context = api.trace.setSpan(api.ROOT_CONTEXT, span)
  // Attempts have no start time, so they are shown one after the other from the start of the request.
  let startTime = createdAt
  for (const attempt of attempts) {
    const requestAttributes = {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': attempt.provider,
      'signalbox.endpoint': attempt.endpointId,
    }
    const { spanId } = attempt
    const attemptOptions = { kind: api.SpanKind.CLIENT, startTime, attributes: requestAttributes }
    const child = ids.withIds(spanId ? { spanId } : undefined, () => tracer.startSpan(name, attemptOptions, context))
    if (attempt.outcome !== 'answered') markFailed(api, child, attempt.outcome)
    startTime += attempt.durationMs
    child.end(startTime)
  }
  if (outcome !== 'success') markFailed(api, span, attempts.at(-1)?.outcome ?? outcome)
  span.end(createdAt + durationMs)
}

function markFailed(api: Api, span: Span, reason: string): void {
  span.setAttribute('error.type', reason)
  span.setStatus({ code: api.SpanStatusCode.ERROR })
}

/** The operation by the semantic conventions for generative AI. They name tasks as this service does. */
const operationOf = ({ protocol }: Generation) => tasks.find((task) => task === protocol) ?? 'chat'

/** Span attributes of these conventions. Undefined attributes are omitted. */
function generationAttributes(generation: Generation): Attributes {
  const { tokens, caller, latencyMs, finish } = generation
  return {
    'gen_ai.operation.name': operationOf(generation),
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
