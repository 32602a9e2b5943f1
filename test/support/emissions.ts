import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { contract, SKILL_RUNNERS } from '../../scripts/conformance/walked-contract.ts'
import type { Call } from '../../server/platform/calls/call.ts'
import type { Contract, OperationId } from '../../server/platform/calls/contract.ts'
import type { Handlers } from '../../server/platform/calls/operation.ts'

/**
 * Records the events of each operation, whether it is called over HTTP or by another operation. If an operation runs
 * other operations by name, their events are not included.
 */
export class Emissions {
  readonly #types = new Map<OperationId, Set<string>>()

  /** Writes the records to a folder, for the report on the whole suite. */
  note(folder: string): void {
    const lines = [...this.#types].flatMap(([id, types]) => [...types].map((type) => `${id} ${type}\n`))
    appendFileSync(path.join(folder, `${process.pid}.txt`), lines.join(''))
  }

  of(id: OperationId): string[] {
    return [...(this.#types.get(id) ?? [])].sort()
  }

  /** Wraps the handlers, so that each call is observed. */
  watch(handlers: Handlers): Handlers {
    return new Proxy(handlers, {
      get: (all, id) => this.#watched(id as OperationId, all[id as OperationId] as unknown as AnyHandler),
    })
  }

  #watched(id: OperationId, handler: AnyHandler): AnyHandler {
    const own = SKILL_RUNNERS.has(id) ? (contract.operations.get(id)?.emits ?? []) : null
    return async (input, call) => {
      const before = call.events.length
      const reply = await handler(input, call)
      for (const { type, payload } of call.events.slice(before)) {
        // Skips events that do not belong to the operation, such as those of a deadline that has passed in the
        // meantime.
        if (JSON.parse(payload).actor.type === 'system' || own?.includes(type) === false) continue
        const types = this.#types.get(id) ?? new Set()
        this.#types.set(id, types.add(type))
      }
      return reply
    }
  }
}

type AnyHandler = (input: never, call: Call) => Promise<unknown>

/** Returns the events that operations recorded although the contract does not declare them, one on each line. */
export function listUndeclaredEmissions(contract: Contract, emissions: Emissions): string[] {
  const operations = [...contract.operations.values()]
  return operations.flatMap(({ id, emits }) => {
    const undeclared = emissions.of(id).filter((type) => !emits.includes(type))
    return undeclared.length === 0 ? [] : [`${id} emits ${undeclared.join(', ')}, which its x-emits does not say.`]
  })
}
