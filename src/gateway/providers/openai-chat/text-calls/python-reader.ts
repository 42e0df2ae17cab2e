/** The deepest nesting of lists and objects. The reader is recursive. */
const maxDepth = 64
/** The most digits of a number in another base than ten, because their conversion takes more than linear time. */
const maxBasedDigits = 64

const blanks = /\s*/y
const number =
  /[+-]?(?:0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?)/y
const identifier = /[A-Za-z_][\w]*/y
/** A string without its closing quotes: its prefix and its opening quotes. */
const stringStart = /([rRuU]?)("""|'''|"|')/y
const plainText = { '"': /[^"\\]+/y, "'": /[^'\\]+/y }
const escapeSequence = /\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{1,3}|[\s\S])/y

/** The constants of Python and of JSON, which models mix. */
const constants = new Map(
  Object.entries({ True: 'true', False: 'false', None: 'null', true: 'true', false: 'false', null: 'null' }),
)

const escapedCharacters: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
}

/**
 * Reads literals of Python as JSON text, from the start of a text. Each method moves past what it reads and the white space behind
 * it. After a method has returned undefined, the position is undefined: discard the reader.
 */
export class PythonReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#skipBlanks()
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length
  }

  /** Whether this character follows. Moves past it. */
  skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    this.#skipBlanks()
    return true
  }

  /** The text that matches a sticky expression. */
  read(pattern: RegExp): string | undefined {
    const found = this.#match(pattern)?.[0]
    if (found !== undefined) this.#skipBlanks()
    return found
  }

  /** Reads items up to `closing`, which can follow a comma. @returns false if an item is not valid. */
  readItems(closing: string, readItem: () => boolean): boolean {
    while (!this.skip(closing)) {
      if (!readItem()) return false
      if (!this.skip(',')) return this.skip(closing)
    }
    return true
  }

  /** The JSON text of a value. */
  readValue(depth = 0): string | undefined {
    if (depth > maxDepth) return undefined
    if (this.skip('[')) return this.#readList(']', depth)
    if (this.skip('{')) return this.#readObject(depth)
    if (this.skip('(')) return this.#readList(')', depth)
    return this.#readStrings() ?? this.#readNumber() ?? this.#readWord()
  }

  /** A list, a tuple, or a value in parentheses. */
  #readList(closing: string, depth: number): string | undefined {
    const items: string[] = []
    let wasComma = true
    while (!this.skip(closing)) {
      const item = wasComma ? this.readValue(depth + 1) : undefined
      if (item === undefined) return undefined
      items.push(item)
      wasComma = this.skip(',')
    }
    if (closing === ')' && items.length === 1 && !wasComma) return items[0]
    return `[${items.join(',')}]`
  }

  #readObject(depth: number): string | undefined {
    const fields: string[] = []
    const isValid = this.readItems('}', () => {
      const name = this.#readStrings() ?? quoted(this.#readNumber())
      const value = name !== undefined && this.skip(':') ? this.readValue(depth + 1) : undefined
      fields.push(`${name}:${value}`)
      return value !== undefined
    })
    return isValid ? `{${fields.join(',')}}` : undefined
  }

  #readWord(): string | undefined {
    const found = this.read(identifier)
    return found === undefined ? undefined : constants.get(found)
  }

  /** A number with its digits, which JavaScript's numbers would round. */
  #readNumber(): string | undefined {
    const found = this.read(number)?.replaceAll('_', '').replace(/^\+/, '')
    if (found === undefined) return undefined
    const [, sign = '', digits = ''] = /^(-?)(.*)$/.exec(found) ?? []
    if (/^0[xob]/i.test(digits)) return digits.length > maxBasedDigits ? undefined : toDecimal(sign, digits)
    if (/^0\d/.test(digits) && !/[.e]/i.test(digits)) return /^0+$/.test(digits) ? '0' : undefined
    const [, whole = '', fraction, exponent = ''] = /^(\d*)(?:\.(\d*))?(.*)$/.exec(digits) ?? []
    const integer = whole.replace(/^0+(?=\d)/, '') || '0'
    return sign + integer + (fraction === undefined ? '' : `.${fraction || '0'}`) + exponent
  }

  /** One string, or several beside each other, which Python joins. */
  #readStrings(): string | undefined {
    let joined: string | undefined
    for (let start = this.#match(stringStart); start; start = this.#match(stringStart)) {
      const [, prefix = '', quotes = ''] = start
      const content = this.#readContent(quotes, prefix.toLowerCase() === 'r')
      if (content === undefined) return undefined
      joined = (joined ?? '') + content
      this.#skipBlanks()
    }
    return joined === undefined ? undefined : JSON.stringify(joined)
  }

  /** The content of a string up to its closing quotes. Line breaks are accepted in all strings, because models write them. */
  #readContent(quotes: string, isRaw: boolean): string | undefined {
    const pieces: string[] = []
    const quote = quotes[0] as '"' | "'"
    while (this.#at < this.#text.length) {
      const piece = this.#match(plainText[quote])?.[0]
      if (piece !== undefined) pieces.push(piece)
      if (this.#text.startsWith(quotes, this.#at)) {
        this.#at += quotes.length
        return pieces.join('')
      }
      const escaped = this.#match(escapeSequence)?.[0]
      if (escaped !== undefined) pieces.push(isRaw ? escaped : decodeEscape(escaped))
      else if (this.#text[this.#at] === quote) pieces.push(this.#text[this.#at++]!)
      else return undefined
    }
    return undefined
  }

  #skipBlanks(): void {
    this.#match(blanks)
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found) this.#at += found[0].length
    return found
  }
}

const quoted = (digits: string | undefined) => (digits === undefined ? undefined : JSON.stringify(digits))

function toDecimal(sign: string, digits: string): string | undefined {
  // `0x_` has no digits.
  return digits.length > 2 ? sign + BigInt(digits) : undefined
}

/** A sequence that Python does not know stays as it is. */
function decodeEscape(sequence: string): string {
  const letter = sequence[1]!
  if (letter in escapedCharacters) return escapedCharacters[letter]!
  const code = /^[0-7]/.test(letter) ? Number.parseInt(sequence.slice(1), 8) : readCode(sequence)
  return code === undefined || code > 0x10ffff ? sequence : String.fromCodePoint(code)
}

const readCode = (sequence: string) =>
  /^\\[xuU]/.test(sequence) && sequence.length > 2 ? Number.parseInt(sequence.slice(2), 16) : undefined
