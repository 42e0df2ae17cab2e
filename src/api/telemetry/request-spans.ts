import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context, Span, Tracer } from '@opentelemetry/api'
import { nonEmptyText } from '#platform/core/non-empty-text.ts'
import type { RequestWrapper } from '#platform/http/mount.ts'
import { callerContext } from './caller-context.ts'

type Api = typeof import('@opentelemetry/api')

/** The most statements that are recorded for one request. */
const maxStatements = 100

type Scope = { span: Span; context: Context; statements: number }

/** Records spans of management requests, of requests to interns, and of their database statements. */
export type RequestSpans = {
  wrap: RequestWrapper
  statement: (seconds: number, error: unknown, sql: string) => void
}

export function requestSpans(api: Api, tracer: Tracer, now: () => number): RequestSpans {
  const scopes = new AsyncLocalStorage<Scope>()
  return {
    wrap(route, { headers, params }, reply, handle) {
      if (!isTraced(route)) return handle()
      const span = tracer.startSpan(
        `${route.method.toUpperCase()} ${route.path}`,
        {
          kind: api.SpanKind.SERVER,
          startTime: now(),
          attributes: {
            'http.request.method': route.method.toUpperCase(),
            'http.route': route.path,
            'signalbox.request.id': reply.request.id,
            ...agentAttribute(params),
          },
        },
        callerContext(api, nonEmptyText(headers.traceparent)),
      )
      const scope = { span, context: api.trace.setSpan(api.ROOT_CONTEXT, span), statements: 0 }
      reply.raw.once('close', () => endSpan(api, scope, reply.raw.statusCode, now()))
      return scopes.run(scope, handle)
    },
    statement(seconds, error, sql) {
      const scope = scopes.getStore()
      if (!scope || scope.statements++ >= maxStatements) return
      const at = now()
      const { operation, summary } = summarizeStatement(sql)
      const attributes = { 'db.operation.name': operation, 'db.query.summary': summary }
      const options = { kind: api.SpanKind.CLIENT, startTime: at - seconds * 1000, attributes }
      const span = tracer.startSpan(summary, options, scope.context)
      if (error !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR })
      span.end(at)
    },
  }
}

/** Whether this wrapper traces a route. Completions have their own spans; metrics and health checks are too frequent. */
function isTraced({ key, tag, path }: Parameters<RequestWrapper>[0]): boolean {
  return tag === 'interns' || (key === 'management' && path !== '/metrics')
}

function agentAttribute(params: unknown) {
  const { internId } = Object(params) as { internId?: string }
  return internId === undefined ? {} : { 'gen_ai.agent.id': internId }
}

function endSpan(api: Api, { span, statements }: Scope, status: number, at: number): void {
  span.setAttributes({ 'http.response.status_code': status, 'signalbox.db.statements': statements })
  if (status >= 500) {
    span.setAttribute('error.type', String(status))
    span.setStatus({ code: api.SpanStatusCode.ERROR })
  }
  span.end(at)
}

const statementPattern = /^\s*(\w+)(?:[\s\S]*?\b(?:from|into|update|table)\s+"?(\w+))?/i

/** A longer statement names its table before this length, and the pattern need not read its whole list of values. */
const summarizedLength = 2000

/** Returns the operation and the table of a statement, for example `select interns`. */
function summarizeStatement(sql: string): { operation: string; summary: string } {
  const [, operation = 'statement', table] = statementPattern.exec(sql.slice(0, summarizedLength)) ?? []
  // `update` is followed by its table.
  const tableName = /^update$/i.test(operation) ? /^\s*update\s+"?(\w+)/i.exec(sql)?.[1] : table
  return { operation, summary: tableName ? `${operation} ${tableName}` : operation }
}
