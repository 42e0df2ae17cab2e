import { z } from '#platform/json/schema.ts'
import { defineTool, type Field } from './tool.ts'

const field = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/)
    .describe('The key of the answer.'),
  type: z
    .enum(['string', 'number', 'integer', 'boolean', 'array'])
    .describe('array: the person can choose several options.'),
  title: z.string().optional(),
  description: z.string().optional(),
  required: z.boolean().optional().describe('Defaults to true.'),
  options: z.array(z.string()).min(1).optional().describe('For string and array: the options to choose from.'),
})

const textField: Field[] = [{ name: 'answer', type: 'string' }]

export const askUser = defineTool({
  name: 'ask_user',
  description: [
    'Ask the person a question and wait for the answer. Use it only if you need the answer to continue and cannot find it',
    'out yourself. Without fields, the answer is one text.',
  ].join(' '),
  kind: 'other',
  runsAlone: true,
  handlesPermission: true,
  input: z.object({
    message: z.string().min(1).describe('The question.'),
    fields: z.array(field).min(1).max(20).optional(),
  }),
  title: ({ message }) => message,
  async run({ message, fields = textField }, context) {
    const incompleteField = fields.find((each) => each.type === 'array' && !each.options)
    if (incompleteField) throw new Error(`The field ${incompleteField.name} of type array needs options.`)
    const answer = await context.ask(message, fields)
    if (answer.action === 'accept') return JSON.stringify(answer.content)
    return answer.action === 'decline'
      ? 'The user declined to answer. Continue without it.'
      : 'The user dismissed the question. Continue without it.'
  },
})
