import { Lexer, type Token } from 'marked'

/** Parses Markdown in GitHub's variant, the default. Line breaks are kept. */
export const lexMarkdown = (text: string): Token[] => Lexer.lex(text, { breaks: true })
