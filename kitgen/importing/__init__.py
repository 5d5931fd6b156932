"""Import real trees and CRDs as specs of a component and settings of targets, verified.

In: folders, bundles or manifests, and the kit. Out: spec files that render to the same objects, and a report.
Nothing is written unless the result was compiled and compared with the trees.
"""
