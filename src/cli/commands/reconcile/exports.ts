import { readCsv } from '#platform/text/read-csv.ts'

/** The amounts that are compared. A file has some of them. */
export const measures = ['requests', 'input_tokens', 'output_tokens', 'cost_usd'] as const
export type Measure = (typeof measures)[number]

/** The sums of one day and model. The model is undefined if the file has only totals of the day. */
export type UsageSum = { day: string; model: string | undefined } & Partial<Record<Measure, number>>

type Row = Record<string, string>

/** One format of a provider's export: the columns that identify it, and how a row is read. */
type ExportFormat = { columns: readonly string[]; readRow: (row: Row) => UsageSum | undefined }

/** Parses a number with commas between thousands. An empty cell is 0. */
const parseNumber = (text: string | undefined) => Number((text ?? '').replaceAll(',', '') || 0)
const sumColumns = (row: Row, names: readonly string[]) =>
  names.reduce((total, name) => total + parseNumber(row[name]), 0)

/** OpenAI writes Unix seconds in `start_time`, and in newer exports the same as text in `start_time_iso`. */
function openAiDay(row: Row): string {
  const seconds = Number(row.start_time)
  return row.start_time_iso?.slice(0, 10) || new Date(seconds * 1000).toISOString().slice(0, 10)
}

const anthropicInputColumns = [
  'usage_input_tokens_no_cache',
  'usage_input_tokens_cache_write_5m',
  'usage_input_tokens_cache_write_1h',
  'usage_input_tokens_cache_write',
  'usage_input_tokens_cache_read',
]

/** The formats of each provider's usage and cost exports. A new one is an entry here. */
export const exportFormats: Record<string, readonly ExportFormat[]> = {
  openai: [
    {
      columns: ['start_time', 'model', 'num_model_requests', 'input_tokens', 'output_tokens'],
      readRow: (row) =>
        row.model
          ? {
              day: openAiDay(row),
              model: row.model,
              requests: parseNumber(row.num_model_requests),
              input_tokens: parseNumber(row.input_tokens),
              output_tokens: parseNumber(row.output_tokens),
            }
          : undefined,
    },
    {
      columns: ['start_time', 'amount_value', 'amount_currency'],
      // Grouped by line item, it names the model and the kind of token: `gpt-5-mini-2025-08-07, input`.
      readRow: (row) =>
        row.amount_value
          ? {
              day: openAiDay(row),
              model: row.line_item?.split(',')[0] || undefined,
              cost_usd: parseNumber(row.amount_value),
            }
          : undefined,
    },
  ],
  anthropic: [
    {
      columns: ['usage_date_utc', 'model_version', 'usage_input_tokens_no_cache', 'usage_output_tokens'],
      readRow: (row) => ({
        day: row.usage_date_utc!.slice(0, 10),
        model: row.model_version,
        input_tokens: sumColumns(row, anthropicInputColumns),
        output_tokens: parseNumber(row.usage_output_tokens),
      }),
    },
    {
      columns: ['usage_date_utc', 'model', 'token_type', 'cost_usd'],
      readRow: (row) => ({
        day: row.usage_date_utc!.slice(0, 10),
        model: row.model || undefined,
        cost_usd: parseNumber(row.cost_usd),
      }),
    },
  ],
}

/** Reads a usage or cost export of a provider. @throws Error if it has none of the provider's formats. */
export function readExport(provider: string, text: string): UsageSum[] {
  const formats = exportFormats[provider] ?? []
  const { columns, rows } = readCsv(text)
  const format = formats.find((candidate) => candidate.columns.every((name) => columns.includes(name)))
  if (!format) {
    const expected = formats.map((format) => format.columns.join(', ')).join('; or ')
    throw new Error(`The file is not an export of ${provider}. Expected the columns ${expected}.`)
  }
  return rows.flatMap((row) => format.readRow(row) ?? [])
}

/** The name of a model for comparison: without author, variant (`:free`) and date, in the spelling of identifiers. */
export function comparableModel(name: string): string {
  return name
    .slice(name.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/:\w+$/, '')
    .replaceAll(/[\s._]+/g, '-')
    .replace(/-(latest|\d{8}|\d{4}-\d{2}-\d{2})$/, '')
}
