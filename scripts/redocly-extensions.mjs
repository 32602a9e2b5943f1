/**
 * Describes two extensions of the contract to Redocly. Redocly then checks the `$ref`s in these extensions and bundles
 * the schemas and examples that only they use.
 */
const text = { type: 'string' }
const texts = { type: 'array', items: { type: 'string' } }

export default function createPlumblinePlugin() {
  return {
    id: 'plumbline',
    typeExtension: {
      oas3: (types) => ({
        ...types,
        Root: {
          ...types.Root,
          properties: { ...types.Root.properties, 'x-skills': 'Skills', 'x-problems': 'ProblemCatalog' },
        },
        Skills: { properties: {}, additionalProperties: 'Skill' },
        Skill: {
          properties: {
            ...{ summary: text, description: text, permissions: texts, writes: { type: 'boolean' } },
            ...{ input: 'Schema', output: 'Schema', examples: 'ExamplesMap' },
          },
          required: ['summary', 'description', 'permissions', 'writes', 'input', 'output', 'examples'],
          extensionsPrefix: 'x-',
        },
        ProblemCatalog: { properties: {}, additionalProperties: 'ProblemEntry' },
        ProblemEntry: {
          properties: { when: text, advice: text, members: texts, mayHave: texts, example: 'Example' },
          required: ['when', 'advice', 'example'],
        },
      }),
    },
  }
}
