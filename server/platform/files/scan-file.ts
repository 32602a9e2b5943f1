import { spawn } from 'node:child_process'

/**
 * The result of scanning a file. As with ClamAV and other scanners, exit code 0 means clean and 1 means not clean. All
 * other exit codes and a timeout mean unknown.
 */
export type ScanVerdict = 'clean' | 'unclean' | 'unknown'

/** A program and its arguments. The path of the file is added as the last argument. */
export type ScanCommand = readonly [program: string, ...args: string[]]

export function scanFile([program, ...args]: ScanCommand, path: string, withinMs: number): Promise<ScanVerdict> {
  return new Promise((done) => {
    // The scanner runs without a shell, so that no part of a path or argument can be executed as a command, and without
    // the secrets of the service.
    const scanner = spawn(program, [...args, path], {
      ...{ shell: false, stdio: 'ignore', timeout: withinMs, killSignal: 'SIGKILL' },
      env: { PATH: process.env.PATH ?? '' },
    })
    scanner.once('error', () => done('unknown'))
    scanner.once('exit', (code) => done(code === 0 ? 'clean' : code === 1 ? 'unclean' : 'unknown'))
  })
}

/**
 * Returns the words of a command, which are separated by spaces. A word in double quotes can contain spaces. Returns
 * null if there are no words, or if a quotation mark is missing.
 */
export function parseScanCommand(text: string): ScanCommand | null {
  const words = [...text.matchAll(/"([^"]*)"|([^\s"]+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  const [program, ...args] = words
  const quotes = text.split('"').length - 1
  return program === undefined || program === '' || quotes % 2 === 1 ? null : [program, ...args]
}
