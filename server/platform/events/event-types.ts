import type { EventTypeEntry } from '../../../client/contract.gen.ts'
import type { Contract, SchemaReference } from '../calls/contract.ts'
import { getEventPermission } from './readable-events.ts'
import type { EventType } from './record-event.ts'

interface WebhookDeclaration {
  post: {
    /** Whether only jobs record the event. */
    'x-timed'?: true
    summary: string
    description: string
    requestBody: { content: { 'application/json': { examples: { event: Example | SchemaReference } } } }
  }
}

interface Example {
  value: Record<string, unknown>
}

/** Returns the types of events in the contract. No other code contains a list of them. */
export function listEventTypes(contract: Contract): EventTypeEntry[] {
  // If neither an operation nor a job records a type, it cannot occur yet.
  const emitted = new Set([...contract.operations.values()].flatMap(({ emits }) => emits))
  return Object.keys(contract.document.webhooks ?? {}).map((name) => {
    const type = name as EventType
    const { summary, description, 'x-timed': isTimed = false } = findDeclaration(contract, type).post
    const permission = getEventPermission(contract, type)
    return {
      type,
      summary,
      description,
      available: isTimed || emitted.has(type),
      permission,
      example: findExamplePayload(contract, type),
    }
  })
}

/** Returns the example payload of an event type in the contract. */
export function findExamplePayload(contract: Contract, type: EventType): Record<string, unknown> {
  const { examples } = findDeclaration(contract, type).post.requestBody.content['application/json']
  return contract.resolve<Example>(examples.event).value
}

function findDeclaration(contract: Contract, type: EventType): WebhookDeclaration {
  const declaration = contract.document.webhooks?.[type]
  if (declaration === undefined) throw new Error(`Expected the contract to declare the event ${type}.`)
  return declaration as WebhookDeclaration
}
