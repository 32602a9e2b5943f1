import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { extract } from 'tar'
import { afterAll, expect, test } from 'vitest'
import { root } from '../../scripts/conformance/walked-contract.ts'

/**
 * Tests the packages for npm. The client and the conformance kit also have tests of their own (client/package.test.ts,
 * test/conformance).
 */
const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-published-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Manifest {
  name: string
  version: string
  license: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}
const manifest = (at: string) => JSON.parse(readFileSync(path.join(root, at, 'package.json'), 'utf8')) as Manifest

const npm = (cwd: string, ...args: string[]) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

test('all packages have the same version, license, and dependency versions as the repository', () => {
  const own = manifest('.')
  const tested = { ...own.devDependencies, ...own.dependencies }
  for (const at of ['client', 'mock', 'scripts/conformance']) {
    const { version, license, dependencies = {} } = manifest(at)
    expect([at, version, license]).toEqual([at, manifest('client').version, own.license])
    for (const [name, range] of Object.entries(dependencies))
      expect([at, name, tested[name]]).toEqual([at, name, range])
  }
})

test('the mock package runs without this repository', {
  timeout: 120_000,
}, async () => {
  const source = path.join(root, 'mock')
  const reported = JSON.parse(npm(source, 'publish', '--dry-run', '--json', '--silent'))
  const { files } = reported['@plumbline/mock'] as { files: { path: string }[] }
  const names = files.map(({ path }) => path).sort()
  expect(names).toEqual([
    'README.md',
    'dist/LICENSE',
    'dist/contract.gen.json',
    'dist/main.js',
    'package.json',
    'scenarios.gen.md',
  ])

  const [packed] = JSON.parse(npm(source, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder))
  const installed = path.join(folder, 'node_modules/@plumbline/mock')
  mkdirSync(installed, { recursive: true })
  await extract({ file: path.join(folder, packed.filename), cwd: installed, strip: 1 })
  // Links the packages that npm would install, so that no registry is needed.
  for (const name of Object.keys(manifest('mock').dependencies ?? {})) {
    mkdirSync(path.dirname(path.join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(path.join(root, 'node_modules', name), path.join(folder, 'node_modules', name))
  }
  const mock = spawn(process.execPath, [path.join(installed, 'dist/main.js'), '--port', '0'], { cwd: folder })
  let said = ''
  mock.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
  })
  await expect.poll(() => said, { timeout: 30_000 }).toMatch(/http:\S+:\d+ /)
  const url = /http:\S+:\d+/.exec(said)?.[0]
  const response = await fetch(`${url}/api/ext/vendors`, { headers: { authorization: 'Bearer plb_mock' } })
  mock.kill()
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Lone Star Framing LLC')])
})
