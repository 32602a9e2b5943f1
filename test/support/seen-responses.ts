import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node'
import { root, wholeContract } from '../../scripts/conformance/walked-contract.ts'

const LIST = 'test/walk/unseen-answers.txt'

/**
 * After a run of the whole suite on both databases, checks that every status in the contract was returned at least
 * once, and that every operation recorded its declared events. The list above contains the exceptions, each with its
 * reason. If a response or event in this list occurs, its entry must be removed, so that the list only shrinks. Does
 * not check partial runs.
 */
export class SeenResponses implements Reporter {
  readonly folder: string = mkdtempSync(path.join(tmpdir(), 'plumbline-answers-'))
  #vitest: Vitest | undefined
  #isWhole = false

  constructor() {
    process.once('exit', () => rmSync(this.folder, { recursive: true, force: true }))
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
    const all = await this.#vitest?.globTestSpecifications()
    const projects = new Set(specifications.map(({ project }) => project.name))
    this.#isWhole = specifications.length === all?.length && projects.has('postgres')
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (!this.#isWhole || modules.some((module) => module.state() === 'failed')) return
    const seen = new Set(
      readdirSync(this.folder).flatMap((file) => readFileSync(path.join(this.folder, file), 'utf8').split('\n')),
    )
    const excused = readFileSync(path.join(root, LIST), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(' ', 2).join(' '))
    const declared = [...wholeContract.operations.values()].flatMap(({ id, declaration, emits }) =>
      [...Object.keys(declaration.responses), ...emits].map((status) => `${id} ${status}`),
    )
    const unseen = declared.filter((response) => !seen.has(response) && !excused.includes(response))
    const idle = excused.filter((response) => seen.has(response) || !declared.includes(response))
    for (const response of unseen) {
      const [id, ...what] = response.split(' ')
      console.error(`${id}: no test has seen ${what.join(' ')}; provoke it in a test, or say in ${LIST} why none can.`)
    }
    for (const response of idle)
      console.error(`${LIST} excuses ${response}, which was seen or is not declared: take it out.`)
    console.log(
      `${declared.length - unseen.length - excused.length + idle.length} of ${declared.length} declared answers and events seen, ${excused.length} excused.`,
    )
    if (unseen.length + idle.length > 0) process.exitCode = 1
  }
}
