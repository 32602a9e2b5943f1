import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { document, root } from '../../scripts/conformance/walked-contract.ts'

const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

test('the LICENSE file at the root matches the license in package.json and in the contract', () => {
  const { license } = JSON.parse(read('package.json')) as { license: string }
  expect([license, document.info.license]).toEqual(['Apache-2.0', { name: 'Apache-2.0', identifier: 'Apache-2.0' }])
  expect(read('LICENSE')).toContain('Apache License\n                           Version 2.0, January 2004')
  expect(read('LICENSE')).toBe(read('client/LICENSE'))
})

test('every file and command that CONTRIBUTING.md refers to exists', () => {
  const text = read('CONTRIBUTING.md')
  const links = [...text.matchAll(/\]\(([\w./-]+)\)/g)].map(([, file = '']) => file)
  const files = [...text.matchAll(/`([\w-]+(?:\/[\w.-]+)+|[\w-]+\.(?:yaml|md))`/g)].map(([, file = '']) => file)
  expect(links.length + files.length).toBeGreaterThan(10)
  expect([...links, ...files].filter((file) => !existsSync(path.join(root, file)))).toEqual([])
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const verbs = [...text.matchAll(/`npm run ([\w:]+)`/g)].map(([, verb = '']) => verb)
  expect(verbs.filter((verb) => !(verb in scripts))).toEqual([])
})
