import { parse } from '@babel/parser'

/** One change of a source: `to` replaces the text from `start` to `end`. */
export type Mutant = { file: string; start: number; end: number; line: number; from: string; to: string; kind: string }

type Node = { type: string; start: number; end: number; loc: { start: { line: number } }; [field: string]: any }
type Change = { node: Pick<Node, 'start' | 'end' | 'loc'>; to: string; kind: string }

const swapped: Record<string, string[]> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
}

/** Calls whose result without the call is still of its type. */
const droppable = new Set(['filter', 'slice', 'sort', 'toSorted', 'reverse', 'trim', 'toLowerCase', 'where', 'orderBy'])

/** All mutants of a source by the usual operators. Types and declarations are not changed. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const { program } = parse(source, { sourceType: 'module', plugins: ['typescript'] })
  const mutants: Mutant[] = []
  const add = ({ node, to, kind }: Change) => {
    const from = source.slice(node.start, node.end)
    if (from !== to) mutants.push({ file, start: node.start, end: node.end, line: node.loc.start.line, from, to, kind })
  }
  const text = (node: Node) => source.slice(node.start, node.end)
  const visit = (node: Node): void => {
    for (const change of changesOf(node, text)) add(change)
    for (const child of childrenOf(node)) visit(child)
  }
  visit(program as unknown as Node)
  return mutants
}

function childrenOf(node: Node): Node[] {
  if (/^(TS|Import)/.test(node.type) && !/^TS(As|NonNull|Satisfies)/.test(node.type)) return []
  // A destructured name has no value to remove; only its default can be removed.
  if (node.type === 'ObjectPattern') return node.properties.flatMap((property: Node) => childrenOf(property))
  return Object.entries(node)
    .filter(([field]) => field !== 'typeAnnotation' && field !== 'typeParameters' && field !== 'returnType')
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter((value): value is Node => typeof value?.type === 'string' && typeof value.start === 'number')
}

function changesOf(node: Node, text: (node: Node) => string): Change[] {
  const change = (to: string, kind: string, at: Change['node'] = node): Change => ({ node: at, to, kind })
  switch (node.type) {
    case 'BinaryExpression':
    case 'AssignmentExpression':
      // The text between the operands includes brackets, which have no node.
      return (swapped[node.operator] ?? []).map((to) => change(withOperator(node, to, text(node)), 'operator'))
    case 'LogicalExpression':
      // `??` can be mixed with the other two only in parentheses.
      return (swapped[node.operator] ?? []).map((to) =>
        change(`((${text(node.left)}) ${to} (${text(node.right)}))`, 'operator'),
      )
    case 'IfStatement':
    case 'ConditionalExpression':
      return [change('true', 'condition', node.test), change('false', 'condition', node.test)]
    case 'BooleanLiteral':
      return [change(String(!node.value), 'boolean')]
    case 'NumericLiteral':
      // Larger numbers are chosen limits and times: a difference of one does not matter.
      return node.value > 100 ? [] : [change(String(node.value + 1), 'number')]
    case 'UnaryExpression':
      return node.operator === '!' ? [change(text(node.argument), 'negation')] : []
    case 'ExpressionStatement':
      return /^(Call|Await|Assignment|Update)/.test(node.expression.type) ? [change('{}', 'statement')] : []
    case 'ReturnStatement':
      return node.argument && text(node.argument) !== 'undefined' ? [change('return undefined as never', 'return')] : []
    case 'CallExpression':
      return isDroppable(node) ? [change(text(node.callee.object), 'call')] : []
    case 'ObjectProperty':
      return node.shorthand || node.computed || node.value.type === 'AssignmentPattern'
        ? []
        : [change('...{}', 'property')]
    case 'SpreadElement':
      return [change('...([] as never[])', 'spread')]
    default:
      return []
  }
}

function withOperator({ start, left, right, operator }: Node, to: string, whole: string): string {
  const [from, until] = [left.end - start, right.start - start]
  return whole.slice(0, from) + whole.slice(from, until).replace(operator, to) + whole.slice(until)
}

function isDroppable({ callee }: Node): boolean {
  return callee.type === 'MemberExpression' && droppable.has(callee.property.name)
}
