/**
 * A word of a command as bash would read it; null where what it becomes is known only when it runs: `$HOME`, `*.ts`.
 */
export type Word = string | null

/** A simple command. */
export type SimpleCommand = {
  words: Word[]
  /** The files that it is redirected to or from. */
  redirects: Word[]
  /** Variables set for it alone, as they are written, which may change what it does: `PATH=. git status`. */
  assigned: string[]
  /** Whether a word that is not known may become an option: `*` is `-exec` where a file is called that, `src/*` is not. */
  mayHaveOptions: boolean
}

/** Words that begin or join compound commands, where a command could begin. */
const reserved = new Set(
  'if then else elif fi for while until do done case esac select function time coproc { } ! [[ ]] in'.split(' '),
)

const longest = 64 * 1024
/** Each is judged by itself by each rule. */
const mostCommands = 1000
/** No command of somebody who means well has them. */
const controls = /[\x00-\x08\x0b-\x1f\x7f]/
const allControls = new RegExp(controls, 'g')

/** Thrown inside where a script is more than a list of simple commands. */
class Unclear extends Error {}

/**
 * The simple commands of a script, read as bash reads them, or undefined. It knows words, quotes, `;`, `&&`, `||`, `|`, `&`,
 * lines, comments and redirections to files, and gives up on everything else (substitutions, loops, functions, here
 * documents): what it does not know cannot be misread.
 */
export function readCommands(script: string): SimpleCommand[] | undefined {
  if (script.length > longest || controls.test(script)) return undefined
  try {
    return new Reader(script).read()
  } catch (error) {
    if (error instanceof Unclear) return undefined
    throw error
  }
}

class Reader {
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
    const rest = this.#script.slice(this.#at, this.#at + 3)
    const char = rest[0]!
    if (char === ' ' || char === '\t') this.#at++
    else if (rest.startsWith('\\\n')) this.#at += 2
    else if (char === '#') this.#skipComment()
    else if (rest.startsWith('&>')) this.#redirect(rest === '&>>' ? 3 : 2)
    else if (char === '\n' || char === ';' || char === '|' || char === '&') this.#separate(rest)
    else if (char === '<' || char === '>') this.#redirect(0)
    else if (char === '(' || char === ')') throw new Unclear()
    else this.#word()
  }

  #skipComment(): void {
    const end = this.#script.indexOf('\n', this.#at)
    this.#at = end < 0 ? this.#script.length : end
  }

  #separate(rest: string): void {
    const two = rest.slice(0, 2)
    const length = two === '&&' || two === '||' || two === '|&' ? 2 : 1
    // `;;` and `;&` belong to `case`; two separators in a row are an error in bash, but for line breaks.
    if (rest[0] !== '\n' && isEmpty(this.#command)) throw new Unclear()
    this.#at += length
    this.#endCommand()
  }

  #endCommand(): void {
    const command = this.#command
    if (isEmpty(command)) return
    // A variable that is set for good changes what comes after it; a redirection alone empties a file.
    if (command.words.length === 0) throw new Unclear()
    if (this.#commands.push(command) > mostCommands) throw new Unclear()
    this.#command = newCommand()
  }

  /** `length` of an operator that was seen already. */
  #redirect(length: number): void {
    const operator =
      length > 0 ? '&>' : /^(?:>>|>\||>&|<&|<>|<<|>|<)/.exec(this.#script.slice(this.#at, this.#at + 2))![0]
    if (operator === '<<') throw new Unclear()
    this.#at += length || operator.length
    while (this.#script[this.#at] === ' ' || this.#script[this.#at] === '\t') this.#at++
    const char = this.#script[this.#at]
    if (char === undefined || '\n;|&<>()#'.includes(char)) throw new Unclear()
    const { word } = this.#readWord()
    const isCopy = operator.endsWith('&') && word !== null && /^(?:\d+|-)$/.test(word)
    if (!isCopy && word !== '/dev/null') this.#command.redirects.push(word)
  }

  #word(): void {
    const { word, bare, mayBeOption } = this.#readWord()
    const next = this.#script[this.#at]
    // The number of the file that is redirected.
    if ((next === '<' || next === '>') && bare && word !== null && /^\d+$/.test(word)) return
    if (next === '(') throw new Unclear()
    const { words } = this.#command
    if (words.length === 0) {
      if (bare && word !== null && reserved.has(word)) throw new Unclear()
      if (this.#assignment !== undefined) {
        this.#command.assigned.push(this.#assignment)
        return
      }
    }
    words.push(word)
    this.#command.mayHaveOptions ||= word === null && mayBeOption
  }

  /** The last word as it is written, if it begins with an unquoted `name=`. */
  #assignment: string | undefined

  /** `bare` if nothing of it is quoted. */
  #readWord(): { word: Word; bare: boolean; mayBeOption: boolean } {
    let text = ''
    /** What it begins with for certain: the text before the first part that is not known. */
    let begin: string | undefined
    let bare = true
    let known = true
    let first = true
    const from = this.#at
    while (this.#at < this.#script.length) {
      const char = this.#script[this.#at]!
      if (' \t\n;|&<>()'.includes(char)) break
      const before = text.length
      if (char === "'") text += this.#singleQuoted()
      else if (char === '"') {
        const inside = this.#doubleQuoted()
        if (inside === null) known = false
        else text += inside
      } else if (char === '\\') text += this.#escaped()
      else if (char === '$') {
        this.#variable()
        known = false
      } else if (char === '`') throw new Unclear()
      else {
        if ('*?{}'.includes(char) || (char === '~' && (first || text.endsWith('=') || text.endsWith(':'))))
          known = false
        if (char === '[' || char === ']') known &&= this.#standsAlone(from)
        text += char
        this.#at++
      }
      if (`'"\\`.includes(char)) bare = false
      if (!known) begin ??= char === '~' ? '/' : text.slice(0, before)
      first = false
    }
    const source = this.#script.slice(from, this.#at)
    this.#assignment = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(source) ? source : undefined
    const mayBeOption = begin === '' || begin?.startsWith('-') === true
    return { word: known || (bare && reserved.has(text)) ? text : null, bare, mayBeOption }
  }

  /** `[` and `]` as the command `test` is written. */
  #standsAlone(from: number): boolean {
    const after = this.#script[this.#at + 1]
    return this.#at === from && (after === undefined || ' \t\n;|&'.includes(after))
  }

  #singleQuoted(): string {
    const end = this.#script.indexOf("'", this.#at + 1)
    if (end < 0) throw new Unclear()
    const text = this.#script.slice(this.#at + 1, end)
    this.#at = end + 1
    return text
  }

  #doubleQuoted(): Word {
    let text = ''
    let known = true
    this.#at++
    for (;;) {
      const char = this.#script[this.#at]
      if (char === undefined || char === '`') throw new Unclear()
      if (char === '"') break
      if (char === '$') {
        this.#variable()
        known = false
      } else if (char === '\\' && '$`"\\\n'.includes(this.#script[this.#at + 1] ?? ' ')) text += this.#escaped()
      else {
        text += char
        this.#at++
      }
    }
    this.#at++
    return known ? text : null
  }

  #escaped(): string {
    const next = this.#script[this.#at + 1]
    if (next === undefined) throw new Unclear()
    this.#at += 2
    return next === '\n' ? '' : next
  }

  /**
   * Only `$name` and `${name}`: all other forms run commands, or may. What `$_` becomes is a word of the command before:
   * `: -exec; find . $_ …`.
   */
  #variable(): void {
    const found = /^\$(?:[A-Za-z_]\w*|[0-9@*#?]|\{[A-Za-z_]\w*\})/.exec(this.#script.slice(this.#at, this.#at + 300))
    if (!found || /^\$\{?_\}?$/.test(found[0])) throw new Unclear()
    this.#at += found[0].length
  }
}

const newCommand = (): SimpleCommand => ({ words: [], redirects: [], assigned: [], mayHaveOptions: false })
const isEmpty = ({ words, redirects, assigned }: SimpleCommand) =>
  words.length === 0 && redirects.length === 0 && assigned.length === 0

/**
 * All that may be a word of a script, without quotes and whatever stands around it: once with `a=b` and `a,b` as one word,
 * once as two. For scripts that cannot be read with certainty: a word that is looked for is among these, unless the script
 * makes it up as it runs.
 */
export function looseWords(script: string): string[][] {
  const bare = script
    .slice(0, longest * 4)
    .replace(/\\\n/g, '')
    .replace(/["'\\]/g, '')
    .replace(allControls, '')
  return [/[\s;&|()<>{}[\]$`]+/, /[\s;&|()<>{}[\]$`,=]+/].map((apart) =>
    bare.split(apart).filter((word) => word !== ''),
  )
}
