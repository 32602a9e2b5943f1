import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { root } from '../../scripts/conformance/walked-contract.ts'

/** Compiles temporary files together, with the strictest settings that users of the client may have. */
export function compile(files: Record<string, string>): Record<string, string[]> {
  return compileWith(files, STRICTEST)
}

/** Compiles files with the repository's own settings, as if they were next to the repository's files. */
export function compileWithOwnSettings(files: Record<string, string>): Record<string, string[]> {
  const { compilerOptions } = JSON.parse(readFileSync(path.join(root, 'tsconfig.json'), 'utf8'))
  return compileWith(files, { ...compilerOptions, typeRoots: STRICTEST.typeRoots })
}

const resolvePath = (...steps: string[]) => path.join(root, ...steps)

const STRICTEST = {
  ...{ target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'], module: 'esnext', moduleResolution: 'bundler' },
  ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true },
  ...{ jsx: 'react-jsx', skipLibCheck: true, allowImportingTsExtensions: true },
  ...{ types: ['node'], typeRoots: [resolvePath('node_modules/@types')] },
  paths: {
    '@plumbline/client': [resolvePath('client/index.ts')],
    '@plumbline/client/enums': [resolvePath('client/enums.gen.ts')],
    '@plumbline/client/webhooks': [resolvePath('client/webhooks.ts')],
    // This folder contains types for packages that do not include types.
    '*': [resolvePath('node_modules/@types/*'), resolvePath('node_modules/*')],
  },
}

function compileWith(files: Record<string, string>, options: object): Record<string, string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-types-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.join(folder, path.dirname(name)), { recursive: true })
      writeFileSync(path.join(folder, name), text)
    }
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: Object.keys(files) }),
    )
    return errorsByFile(runCompiler(folder), Object.keys(files))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function runCompiler(folder: string): string {
  try {
    // Uses a single checker. Each of several checkers would compute the types of the whole contract.
    const args = [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', folder, '--singleThreaded']
    return execFileSync(process.execPath, args, { encoding: 'utf8', cwd: folder, maxBuffer: 64 * 1024 * 1024 })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

function errorsByFile(output: string, files: string[]): Record<string, string[]> {
  const errors: Record<string, string[]> = Object.fromEntries(files.map((file) => [file, []]))
  for (const line of output.split('\n')) {
    const [, file, what] = /^(.+?)\(\d+,\d+\): error (TS\d+: .*)$/.exec(line) ?? []
    if (file === undefined || what === undefined) {
      if (/^error TS/.test(line)) throw new Error(line)
      continue
    }
    const found = errors[file]
    if (found === undefined) throw new Error(`An error outside of the files: ${line}`)
    found.push(what)
  }
  return errors
}
