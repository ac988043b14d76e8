import * as z from 'zod/mini'
import { eventSchema, objectList, optional, required, requiredList } from '../../interface/fields.ts'

/** Functions that create the schemas of results. Only a part of zod: all of it would bring its messages in 50 languages into the bundle. */
export const schemaBuilders = {
  z: {
    array: z.array,
    boolean: z.boolean,
    enum: z.enum,
    extend: z.extend,
    int: z.int,
    literal: z.literal,
    looseObject: z.looseObject,
    nullable: z.nullable,
    number: z.number,
    object: z.object,
    optional: z.optional,
    record: z.record,
    string: z.string,
    union: z.union,
    unknown: z.unknown,
  },
  ...{ eventSchema, objectList, optional, required, requiredList },
}

export type SchemaBuilders = typeof schemaBuilders
