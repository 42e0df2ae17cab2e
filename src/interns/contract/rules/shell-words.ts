/**
 * A word of a command as bash parses it; null if its value is known only when the command runs: `$HOME`, `*.ts`.
 */
export type Word = string | null

/** A simple command. */
export type SimpleCommand = {
  words: Word[]
  /** The files of its redirections. */
  redirects: Word[]
  /** Variables set only for this command, which can change what it does: `PATH=. git status`. */
  assignments: string[]
  /** Whether an unknown word can become an option: `*` can be a file named `-exec`, `src/*` cannot. */
  canHaveOptions: boolean
}

/** Words that start or join compound commands. */
const reserved = new Set(
  'if then else elif fi for while until do done case esac select function time coproc { } ! [[ ]] in'.split(' '),
)

/** Longer scripts are not parsed. */
const maxScriptLength = 64 * 1024
/** Bounds the time of a search in a script that cannot be parsed. Actions have shorter commands (`action.ts` of the daemon). */
const maxSearchedLength = 4 * maxScriptLength
/** The longest variable, with its `$`. A copy of the rest of the script for each variable would take quadratic time. */
const maxVariableLength = 300
/** Every rule is matched with every command. */
const maxCommands = 1000
/** Control characters, which do not occur in legitimate commands. */
const controls = /[\x00-\x08\x0b-\x1f\x7f]/
const allControls = new RegExp(controls, 'g')

const unclearScriptError = new Error('The script is more than a list of simple commands.')

/**
 * Parses a script into its simple commands like bash. It supports words, quotes, `;`, `&&`, `||`, `|`, `&`, lines, comments
 * and redirections to files. For everything else (substitutions, loops, functions, here documents) it returns undefined, so
 * that nothing is misinterpreted.
 */
export function parseCommands(script: string): SimpleCommand[] | undefined {
  if (script.length > maxScriptLength || controls.test(script)) return undefined
  try {
    return new ShellReader(script).read()
  } catch (error) {
    if (error === unclearScriptError) return undefined
    throw error
  }
}

class ShellReader {
  readonly #script: string
  #at = 0
  #commands: SimpleCommand[] = []
  #command: SimpleCommand = newCommand()

  constructor(script: string) {
    this.#script = script
  }

  read(): SimpleCommand[] {
    while (this.#at < this.#script.length) this.#next()
    this.#endCommand()
    return this.#commands
  }

  #next(): void {
    const lookahead = this.#script.slice(this.#at, this.#at + 3)
    const char = lookahead[0]!
    if (char === ' ' || char === '\t') this.#at++
    else if (lookahead.startsWith('\\\n')) this.#at += 2
    else if (char === '#') this.#skipComment()
    else if (lookahead.startsWith('&>')) this.#redirect(lookahead === '&>>' ? 3 : 2)
    else if (char === '\n' || char === ';' || char === '|' || char === '&') this.#separate(lookahead)
    else if (char === '<' || char === '>') this.#redirect(0)
    else if (char === '(' || char === ')') throw unclearScriptError
    else this.#addWord()
  }

  #skipComment(): void {
    const end = this.#script.indexOf('\n', this.#at)
    this.#at = end < 0 ? this.#script.length : end
  }

  #separate(lookahead: string): void {
    const two = lookahead.slice(0, 2)
    const length = two === '&&' || two === '||' || two === '|&' ? 2 : 1
    // `;;` and `;&` belong to `case`. Two separators in a row are an error in bash, except for line breaks.
    if (lookahead[0] !== '\n' && isEmpty(this.#command)) throw unclearScriptError
    this.#at += length
    this.#endCommand()
  }

  #endCommand(): void {
    const command = this.#command
    if (isEmpty(command)) return
    // An assignment without a command changes later commands; a redirection alone empties a file.
    if (command.words.length === 0) throw unclearScriptError
    if (this.#commands.push(command) > maxCommands) throw unclearScriptError
    this.#command = newCommand()
  }

  /** @param length of an operator that was already recognized; 0 if not. */
  #redirect(length: number): void {
    const operator =
      length > 0 ? '&>' : /^(?:>>|>\||>&|<&|<>|<<|>|<)/.exec(this.#script.slice(this.#at, this.#at + 2))![0]
    if (operator === '<<') throw unclearScriptError
    this.#at += length || operator.length
    while (this.#script[this.#at] === ' ' || this.#script[this.#at] === '\t') this.#at++
    const char = this.#script[this.#at]
    if (char === undefined || '\n;|&<>()#'.includes(char)) throw unclearScriptError
    const { word } = this.#readWord()
    const isDescriptorCopy = operator.endsWith('&') && word !== null && /^(?:\d+|-)$/.test(word)
    if (!isDescriptorCopy && word !== '/dev/null') this.#command.redirects.push(word)
  }

  #addWord(): void {
    const { word, isUnquoted, canBeOption, assignment } = this.#readWord()
    const next = this.#script[this.#at]
    // A file descriptor before a redirection.
    if ((next === '<' || next === '>') && isUnquoted && word !== null && /^\d+$/.test(word)) return
    if (next === '(') throw unclearScriptError
    const { words } = this.#command
    if (words.length === 0) {
      if (isUnquoted && word !== null && reserved.has(word)) throw unclearScriptError
      if (assignment !== undefined) {
        this.#command.assignments.push(assignment)
        return
      }
    }
    words.push(word)
    this.#command.canHaveOptions ||= word === null && canBeOption
  }

  /** `isUnquoted`: no part of it is quoted. `assignment`: the source of the word, if it starts with an unquoted `name=`. */
  #readWord(): { word: Word; isUnquoted: boolean; canBeOption: boolean; assignment: string | undefined } {
    let text = ''
    /** The text before the first unknown part. */
    let prefix: string | undefined
    let isUnquoted = true
    let isKnown = true
    let isFirst = true
    const from = this.#at
    while (this.#at < this.#script.length) {
      const char = this.#script[this.#at]!
      if (' \t\n;|&<>()'.includes(char)) break
      const before = text.length
      if (char === "'") text += this.#readSingleQuoted()
      else if (char === '"') {
        const quoted = this.#readDoubleQuoted()
        if (quoted === null) isKnown = false
        else text += quoted
      } else if (char === '\\') text += this.#readEscape()
      else if (char === '$') {
        this.#skipVariable()
        isKnown = false
      } else if (char === '`') throw unclearScriptError
      else {
        if ('*?{}'.includes(char) || (char === '~' && (isFirst || text.endsWith('=') || text.endsWith(':'))))
          isKnown = false
        if (char === '[' || char === ']') isKnown &&= this.#isSeparateWord(from)
        text += char
        this.#at++
      }
      if (`'"\\`.includes(char)) isUnquoted = false
      // `~` becomes an absolute path, which is not an option.
      if (!isKnown) prefix ??= char === '~' ? '/' : text.slice(0, before)
      isFirst = false
    }
    const source = this.#script.slice(from, this.#at)
    const assignment = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(source) ? source : undefined
    const canBeOption = prefix === '' || prefix?.startsWith('-') === true
    // `{`, `}` and `[[` look like patterns, but start or end a compound command.
    const isReserved = isUnquoted && reserved.has(text)
    return { word: isKnown || isReserved ? text : null, isUnquoted, canBeOption, assignment }
  }

  /** Whether `[` or `]` is a word, as in the command `test`. */
  #isSeparateWord(from: number): boolean {
    const after = this.#script[this.#at + 1]
    return this.#at === from && (after === undefined || ' \t\n;|&'.includes(after))
  }

  #readSingleQuoted(): string {
    const end = this.#script.indexOf("'", this.#at + 1)
    if (end < 0) throw unclearScriptError
    const text = this.#script.slice(this.#at + 1, end)
    this.#at = end + 1
    return text
  }

  #readDoubleQuoted(): Word {
    let text = ''
    let isKnown = true
    this.#at++
    for (;;) {
      const char = this.#script[this.#at]
      if (char === undefined || char === '`') throw unclearScriptError
      if (char === '"') break
      if (char === '$') {
        this.#skipVariable()
        isKnown = false
      } else if (char === '\\' && '$`"\\\n'.includes(this.#script[this.#at + 1] ?? ' ')) text += this.#readEscape()
      else {
        text += char
        this.#at++
      }
    }
    this.#at++
    return isKnown ? text : null
  }

  #readEscape(): string {
    const next = this.#script[this.#at + 1]
    if (next === undefined) throw unclearScriptError
    this.#at += 2
    return next === '\n' ? '' : next
  }

  /**
   * Accepts only `$name` and `${name}`: all other forms can run commands. `$_` is a word of the previous command:
   * `: -exec; find . $_ …`.
   */
  #skipVariable(): void {
    const found = /^\$(?:[A-Za-z_]\w*|[0-9@*#?]|\{[A-Za-z_]\w*\})/.exec(
      this.#script.slice(this.#at, this.#at + maxVariableLength),
    )
    if (!found || /^\$\{?_\}?$/.test(found[0])) throw unclearScriptError
    this.#at += found[0].length
  }
}

const newCommand = (): SimpleCommand => ({ words: [], redirects: [], assignments: [], canHaveOptions: false })
const isEmpty = ({ words, redirects, assignments }: SimpleCommand) =>
  words.length === 0 && redirects.length === 0 && assignments.length === 0

/**
 * All possible words of a script that cannot be parsed, without quotes and operators: one list with `a=b` and `a,b` as one word,
 * and one list with both split. Only words that are computed when the script runs are not in these lists.
 */
export function listPossibleWords(script: string): string[][] {
  const unquoted = script
    .slice(0, maxSearchedLength)
    .replace(/\\\n/g, '')
    .replace(/["'\\]/g, '')
    .replace(allControls, '')
  return [/[\s;&|()<>{}[\]$`]+/, /[\s;&|()<>{}[\]$`,=]+/].map((separator) =>
    unquoted.split(separator).filter((word) => word !== ''),
  )
}
