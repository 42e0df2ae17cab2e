// node rename.mjs CHECKOUT MAP.json [--project tsconfig.json]
// MAP: { "symbols": [ {"file": "src/a.ts", "name": "asked", "to": "notified", "member"?: "Type.member"} ], "files": {"src/a.ts": "src/b.ts"} }
// Exported (top-level) symbols and members of types/classes. Renames through the whole project with the compiler's
// own references; shorthand properties and import/export aliases are preserved. Files are moved by move-files.mjs.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Node, Project, ts } from 'ts-morph'

const [root, mapFile] = process.argv.slice(2)
const project = new Project({
  tsConfigFilePath: join(root, 'tsconfig.json'),
  compilerOptions: { allowImportingTsExtensions: true },
  manipulationSettings: { usePrefixAndSuffixTextForRename: true },
})
for (const extra of ['console/**/*.ts', 'console/**/*.tsx'])
  project.addSourceFilesAtPaths([join(root, extra), `!${join(root, 'console/api/types.ts')}`])
const map = JSON.parse(readFileSync(mapFile, 'utf8'))
const ls = project.getLanguageService()
const edits = new Map() // file -> Map(start -> {end, text})
const problems = []
const t0 = Date.now()
for (const { file, name, to, member } of map.symbols ?? []) {
  const sf = project.getSourceFile(join(root, file))
  if (!sf) {
    problems.push(`no file ${file}`)
    continue
  }
  let node
  if (member) {
    const [type, prop] = [name, member]
    const d = sf.getInterface(type) ?? sf.getTypeAlias(type) ?? sf.getClass(type)
    node = d
      ?.getDescendants()
      .find(
        (n) =>
          (Node.isPropertySignature(n) ||
            Node.isMethodSignature(n) ||
            Node.isPropertyDeclaration(n) ||
            Node.isMethodDeclaration(n) ||
            Node.isGetAccessorDeclaration(n)) &&
          n.getName() === prop,
      )
      ?.getNameNode()
  } else {
    for (const st of sf.getStatements()) {
      if (Node.isVariableStatement(st)) {
        for (const d of st.getDeclarations()) {
          const nn = d.getNameNode()
          if (Node.isIdentifier(nn) && nn.getText() === name) node = nn
          else if (!Node.isIdentifier(nn))
            for (const b of nn.getDescendantsOfKind(ts.SyntaxKind.BindingElement))
              if (b.getName() === name) node = b.getNameNode()
        }
      } else if (
        (Node.isFunctionDeclaration(st) ||
          Node.isClassDeclaration(st) ||
          Node.isTypeAliasDeclaration(st) ||
          Node.isInterfaceDeclaration(st)) &&
        st.getName() === name
      ) {
        node = st.getNameNode()
        break
      }
      if (node) break
    }
  }
  if (!node) {
    problems.push(`no ${member ? `${name}.${member}` : name} in ${file}`)
    continue
  }
  const locs = ls.compilerObject.findRenameLocations(sf.getFilePath(), node.getStart(), false, false, {
    providePrefixAndSuffixTextForRename: false,
    allowRenameOfImportPath: false,
  })
  if (!locs?.length) {
    problems.push(`cannot rename ${name} in ${file}`)
    continue
  }
  const seen = new Set()
  for (const l of locs) {
    const key = `${l.fileName}:${l.textSpan.start}`
    if (seen.has(key)) continue
    seen.add(key)
    const src = project.getSourceFile(l.fileName)
    const text = src.getFullText()
    const at = l.textSpan.start,
      end = at + l.textSpan.length
    const ident = src.getDescendantAtPos(at)
    let out = to
    const p = ident?.getParent()
    // keep meaning where a shorthand property or a binding gives the name to a member
    if (p && Node.isShorthandPropertyAssignment(p))
      out = member ? `${to}: ${name === member ? name : text.slice(at, end)}` : `${text.slice(at, end)}: ${to}`
    else if (p && Node.isBindingElement(p) && !p.getPropertyNameNode() && Node.isObjectBindingPattern(p.getParent()))
      out = member ? `${to}: ${text.slice(at, end)}` : `${text.slice(at, end)}: ${to}`
    const m = edits.get(l.fileName) ?? edits.set(l.fileName, new Map()).get(l.fileName)
    if (m.has(at) && m.get(at).text !== out) {
      problems.push(`two renames at ${l.fileName}:${at}: ${m.get(at).text} / ${out}`)
      continue
    }
    m.set(at, { end, text: out })
  }
}
let n = 0
for (const [file, m] of edits) {
  let text = readFileSync(file, 'utf8')
  const list = [...m].sort((a, b) => b[0] - a[0])
  for (const [at, { end, text: t }] of list) {
    text = text.slice(0, at) + t + text.slice(end)
    n++
  }
  writeFileSync(file, text)
}
console.log(
  `${(map.symbols ?? []).length} symbols, ${n} places in ${edits.size} files, ${Math.round((Date.now() - t0) / 1000)} s`,
)
for (const p of problems) console.log('PROBLEM', p)
