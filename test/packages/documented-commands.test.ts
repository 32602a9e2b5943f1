import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/conformance/walked-contract.ts'

/** The files from which users copy commands: Markdown pages, and comments in examples. */
const READ = ['*.md', '{client,docs,examples,mock,scripts,server,web}/**/*.md', 'examples/**/*.ts']

const documented = READ.flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }))

const linesLike = (pattern: RegExp) =>
  documented.flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1} ${line.trim()}`] : [])),
  )

test('documented commands run TypeScript files with the Node version that npm ci installs', () => {
  expect(documented.length).toBeGreaterThan(15)
  expect(linesLike(/npx node \S+\.ts\b/).length).toBeGreaterThan(4)
  expect(linesLike(/(?<!npx |\.bin\/|[\w-])node (-\S+ )*[\w./-]+\.ts\b/)).toEqual([])
})

// The packages are not on npm yet, so somebody else could publish a package with such a name.
test('no documented command installs an unpublished package from the npm registry', () => {
  expect(linesLike(/npm (i|install|add) (-\S+ )*@plumbline\//)).toEqual([])
})
