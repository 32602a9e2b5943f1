import {
  ResourceNotFoundError,
  type ResourceTemplateType,
  type TextResourceContents,
} from '@modelcontextprotocol/server'
import type { Call } from '../../platform/calls/call.ts'
import { Problem } from '../../platform/problems/problem.ts'
import { concealResultSecrets, executeSkill } from '../skills/execute-skill.ts'
import { canUseSkill, getSkillCatalog } from '../skills/skill-catalog.ts'

/**
 * The records that a user can attach to a conversation by URI. The last part of the URI is an ID, a number, or an exact
 * name.
 */
const RESOURCE_KINDS = [
  { kind: 'homes', title: 'Home', skill: 'getHome', field: 'homeId' },
  { kind: 'requests', title: 'Bid request', skill: 'getBidRequest', field: 'bidRequestId' },
  { kind: 'orders', title: 'Purchase order', skill: 'getPurchaseOrder', field: 'poId' },
  { kind: 'vendors', title: 'Vendor', skill: 'getVendor', field: 'vendorId' },
] as const

export function listResourceTemplates(call: Call): ResourceTemplateType[] {
  const catalogue = getSkillCatalog(call.services.contract)
  return RESOURCE_KINDS.filter(({ skill }) => canUseSkill(call, catalogue.find(skill))).map(
    ({ kind, title, skill }) => ({
      uriTemplate: `plumbline://${kind}/{id}`,
      name: kind,
      title,
      description: `${catalogue.find(skill).summary}: by ID, number, or exact name.`,
      mimeType: 'application/json',
    }),
  )
}

export async function readResource(
  call: Call,
  uri: string,
): Promise<{ skill: string; contents: TextResourceContents[] }> {
  const [, kind, id] = /^plumbline:\/\/(\w+)\/([^/]{1,300})$/.exec(uri) ?? []
  const found = RESOURCE_KINDS.find((each) => each.kind === kind)
  if (found === undefined || id === undefined) throw new ResourceNotFoundError(uri)
  const { skill, field } = found
  const { result, untrustedText } = await executeSkill(call, {
    skill,
    input: { [field]: decodeResourceId(uri, id) },
    dryRun: false,
  }).catch((error: unknown) => {
    const isUnknown = error instanceof Problem && (error.status === 404 || error.code === 'unknown_reference')
    throw isUnknown ? new ResourceNotFoundError(uri, error.message) : error
  })
  const shown = concealResultSecrets(getSkillCatalog(call.services.contract).find(skill), result)
  // A resource is a single text, so notes about it are part of the text.
  const text = JSON.stringify({ ...(shown as object), ...(untrustedText.length > 0 && { untrustedText }) })
  return { skill, contents: [{ uri, mimeType: 'application/json', text }] }
}

function decodeResourceId(uri: string, id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    throw new ResourceNotFoundError(uri)
  }
}
