export declare const ruleNames: string[]

/** The faults of a contract, in the order of the rules; a place is the list of keys that leads there. */
export declare function listFindings(
  document: unknown,
  names?: readonly string[],
): Generator<{ rule: string; place: (string | number)[]; message: string }>
