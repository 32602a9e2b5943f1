import type { EventTypeEntry } from '../../../client/contract.gen.ts'
import type { Contract, SchemaReference } from '../calls/contract.ts'
import { permissionForType } from './readable-events.ts'
import type { EventType } from './record-event.ts'

interface WebhookDeclaration {
  post: {
    summary: string
    description: string
    requestBody: { content: { 'application/json': { examples: { event: Example | SchemaReference } } } }
  }
}

interface Example {
  value: Record<string, unknown>
}

/** Returns the event types that the contract declares. No other code lists them by name. */
export function listEventTypes(contract: Contract): EventTypeEntry[] {
  // Every event that happens over time is also recorded by some operation, so a type that no operation declares cannot
  // occur yet.
  const emitted = new Set([...contract.operations.values()].flatMap(({ emits }) => emits))
  return Object.keys(contract.document.webhooks ?? {}).map((name) => {
    const type = name as EventType
    const { summary, description } = findDeclaration(contract, type).post
    const permission = permissionForType(contract, type)
    return {
      type,
      summary,
      description,
      available: emitted.has(type),
      permission,
      example: findExample(contract, type),
    }
  })
}

/** Returns the contract's example payload of a type. */
export function findExample(contract: Contract, type: EventType): Record<string, unknown> {
  const { examples } = findDeclaration(contract, type).post.requestBody.content['application/json']
  return contract.resolve<Example>(examples.event).value
}

function findDeclaration(contract: Contract, type: EventType): WebhookDeclaration {
  const declaration = contract.document.webhooks?.[type]
  if (declaration === undefined) throw new Error(`Expected the contract to declare the event ${type}.`)
  return declaration as WebhookDeclaration
}
